"""The process that proves merge laws for the server; started by `proofs`."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.lsp.child import serve
from kcheck.lsp.questions import GetReady, Question, Ready
from kcheck.runtime.laws import new_prover


def main() -> None:
    prover = new_prover()

    def answer(message: GetReady | Question, reply: Callable[[object], None]) -> None:
        match message:
            case GetReady():
                prover.warm()
                reply(Ready())
            case Question():
                reply(prover.judgement(message.program, message.seconds, lambda _, found: reply(found)))

    serve(answer)


if __name__ == "__main__":
    main()
