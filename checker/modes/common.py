"""What the modes share: the state of a kernel while it is checked, and the checks of outputs and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import control, functions
from kcheck.checker.lower import fixes as lower_fixes
from kcheck.checker.lower.context import (
    Expected,
    FunctionContext,
    LoweredFunction,
    ProgramContext,
    Use,
    UseSite,
)
from kcheck.checker.lower.recording import ItemRecord, Vocabulary
from kcheck.checker.lower.scopes import Home, PortEntity, Scope
from kcheck.checker.modes import fixes
from kcheck.checker.near import did_you_mean
from kcheck.checker.rules.rule import Rule
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Span


@dataclass
class KernelContext:
    """A kernel being checked."""

    node: syntax.Kernel
    home: Home
    scope: Scope
    program: ProgramContext
    merge: syntax.Merge | None = None
    entries: dict[str, LoweredFunction] = field(default_factory=dict)

    @property
    def record(self) -> ItemRecord:
        return self.program.declarations.recorder.item(self.home)

    def ports(self, kind: syntax.PortKind) -> list[PortEntity]:
        return [p for p in self.scope.ports.values() if p.node.kind is kind]

    def report(
        self, rule: Rule, span: Span, message: str, *notes: str, label: str = "", fixes: tuple[Fix, ...] = ()
    ) -> None:
        made = tuple(Note(n) for n in notes)
        self.program.problems.add(rule.report(self.home.at(span), message, label=label, notes=made, fixes=fixes))


@dataclass(frozen=True, slots=True)
class Lowered:
    """What a mode makes of a kernel."""

    schedule: ir.Schedule
    result: types.Type


# ---------------------------------------------------------------- outputs


def output_fields(kernel: KernelContext) -> list[tuple[PortEntity, types.Field]]:
    """The outputs whose types could be read, in the order of declaration."""
    return [(p, p.type) for p in kernel.ports(syntax.PortKind.OUTPUT) if p.type is not None]


def domain_outputs(kernel: KernelContext) -> tuple[int, types.Type | None]:
    """The rank and the element-wise result of a mode whose outputs all cover the domain."""
    outputs = output_fields(kernel)
    if not kernel.ports(syntax.PortKind.OUTPUT):
        kernel.report(
            rules.OUTPUT_COUNT,
            kernel.node.name.span,
            "this kernel has no output",
            "add `output result: Grid<Float>;`",
        )
    if not outputs:
        return 1, None
    first, first_type = outputs[0]
    for port, type_ in outputs[1:]:
        if type_.rank != first_type.rank:
            kernel.report(
                rules.OUTPUT_SHAPE,
                port.node.span,
                f"`{port.node.name.text}` is a {type_}, but `{first.node.name.text}` is a {first_type}",
                "all outputs of one kernel cover one domain, so they have the same number of axes",
                fixes=fixes.retype(
                    kernel, port.node, fixes.field_text(first_type.rank, fixes.element_text(kernel, port.node))
                ),
            )
    return first_type.rank, joint_result(kernel, outputs)


def joint_result(kernel: KernelContext, outputs: Sequence[tuple[PortEntity, types.Field]]) -> types.Type | None:
    """The one output's element type, or the struct of all outputs in the order of their names."""
    if len(outputs) < len(kernel.ports(syntax.PortKind.OUTPUT)):
        return None
    if len(outputs) == 1:
        return outputs[0][1].element
    named = sorted(((p.node.name.text, t) for p, t in outputs), key=lambda pair: pair[0])
    fields = tuple(types.FieldOf(name, t.element) for name, t in named)
    kernel.program.outputs = types.Struct("record of outputs", f"{kernel.node.name.text}.outputs", fields)
    return kernel.program.outputs


def single_output(kernel: KernelContext, mode: str) -> tuple[PortEntity, types.Field] | None:
    """The only output of a mode that has exactly one."""
    ports = kernel.ports(syntax.PortKind.OUTPUT)
    if len(ports) != 1:
        where = ports[1].node.span if ports else kernel.node.name.span
        count = f"{len(ports)} outputs" if ports else "no output"
        kernel.report(rules.OUTPUT_COUNT, where, f"a {mode} has exactly one output; this kernel has {count}")
        return None
    return None if ports[0].type is None else (ports[0], ports[0].type)


def rows_output(kernel: KernelContext, mode: str, why: str) -> tuple[PortEntity, types.Field] | None:
    """The only output of a mode that gives Rows."""
    found = single_output(kernel, mode)
    if found is None:
        return None
    port, type_ = found
    if type_.rank != 1:
        kernel.report(
            rules.OUTPUT_SHAPE,
            port.node.span,
            f"the output of a {mode} is `Rows<{type_.element}>`, not {type_}",
            why,
            fixes=fixes.retype(kernel, port.node, fixes.field_text(1, fixes.element_text(kernel, port.node))),
        )
        return None
    return found


def output_reason(port: PortEntity, type_: types.Field) -> str:
    return f"the elements of output `{port.node.name.text}` are {type_.element}"


# ---------------------------------------------------------------- inputs


def named_input(kernel: KernelContext, name: syntax.Name, word: str) -> types.Field | None:
    """The input that stands after `over` or `into`."""
    port = kernel.scope.ports.get(name.text)
    if port is not None:
        kernel.record.name(name, port)
    if port is not None and port.node.kind is syntax.PortKind.INPUT:
        port.used = True
        return port.type
    if port is None and name.text in kernel.scope.broken:
        return None
    known = [p.node.name.text for p in kernel.ports(syntax.PortKind.INPUT)]
    what = f"`{name.text}` is a {port.node.kind.value}" if port is not None else f"there is no input `{name.text}`"
    what = what.replace("a output", "an output")
    kernel.report(
        rules.NOT_AN_INPUT,
        name.span,
        f"{what}; `{word}` names an input{did_you_mean(name.text, known)}",
        fixes=(
            lower_fixes.rename_to(kernel.home, name, known[0])
            if len(known) == 1
            else lower_fixes.rename(kernel.home, name, known)
        ),
    )
    return None


# ---------------------------------------------------------------- bodies


def lower_body(
    kernel: KernelContext,
    name: str,
    block: syntax.Block,
    head: Span,
    expected: Expected,
    refused: dict[Use, tuple[Rule, str]],
    parameters: Sequence[tuple[syntax.Name, types.Type | None, str]] = (),
) -> LoweredFunction | None:
    """Lower a body, merge or init as a function of the program; None after an error.

    `refused` are the uses that it does not have, by itself or through functions that it calls.
    """
    context = FunctionContext(kernel.program, kernel.home, kernel.scope, name, expected, body=True)
    context.stands_apart = Use.PORTS in refused
    for parameter, type_, what in parameters:
        context.declare(parameter, type_, what)
    body = control.function_body(context, block, head)
    for use, (rule, why) in refused.items():
        if use in context.uses:
            _report_use(kernel, context.uses[use], rule, why)
    result = kernel.program.pair if kernel.program.in_scatter and expected.type is None else expected.type
    if result is None or kernel.program.poisoned:
        return None
    return functions.finish(context, body, len(parameters), result)


LANES_RULE = (rules.GROUP_ONLY, "only the lanes of a `group` kernel can do this")
EMIT_RULE = (rules.EMIT_NOT_ALLOWED, "only the body of a scatter emits")


def _report_use(kernel: KernelContext, site: UseSite, rule: Rule, why: str) -> None:
    notes = (Note(why), *([site.cause] if site.cause is not None else []))
    made: tuple[Fix, ...] = ()
    if rule is rules.EMIT_NOT_ALLOWED:
        made = fixes.without_emit(kernel, site.origin)
    elif rule is rules.GROUP_ONLY:
        made = fixes.group_for_lanes(kernel)
    kernel.program.problems.add(rule.report(site.origin, f"`{site.word}` cannot stand here", notes=notes, fixes=made))
    kernel.program.poisoned = True


ELEMENT_USES: dict[Use, tuple[Rule, str]] = {
    Use.LANES: LANES_RULE,
    Use.EMIT: EMIT_RULE,
}
"""What the body of most modes does not have."""


def isolated_uses(what: str) -> dict[Use, tuple[Rule, str]]:
    """What a function outside any element run (a merge, an init) does not have."""
    why = f"{what} belongs to no element: it sees params and constants, but no port and no place"
    return {
        Use.PORTS: (rules.MERGE_READS, why),
        Use.PLACES: (rules.MERGE_READS, why),
        Use.LANES: LANES_RULE,
        Use.EMIT: EMIT_RULE,
        Use.MEMORY: (rules.MERGE_READS, why),
    }


def refuse_memories(kernel: KernelContext) -> None:
    for port in kernel.ports(syntax.PortKind.MEMORY):
        kernel.report(
            rules.MEMORY_OUTSIDE_SCAN,
            port.node.span,
            "only a scan has memories",
            "elements of other modes run in no order, so what one wrote another could not rely on",
            fixes=(
                fixes.scan_for_memory(kernel)
                if fixes.is_put(kernel, port.node.name.text)
                else fixes.memory_as_input(kernel, port.node)
            ),
        )


def combine_op(
    kernel: KernelContext,
    name: syntax.Name,
    allowed: Sequence[ir.CombineOp],
    without_last: tuple[Fix, ...] = (),
) -> ir.CombineOp | None:
    """The word after `with`; `without_last` mends a `last` that is not allowed."""
    found = next((op for op in ir.CombineOp if op.value == name.text), None)
    if found is not None:
        kernel.record.word(name, Vocabulary.COMBINE)
    if found in allowed:
        return found
    words = ", ".join(f"`{op.value}`" for op in allowed)
    notes = []
    if found is ir.CombineOp.LAST:
        notes.append("a prefix may combine in any grouping; `last` would give back each element itself")
        made = without_last
    else:
        made = lower_fixes.rename(kernel.home, name, [op.value for op in allowed])
    message = f"`{name.text}` is not among the ways to combine here: {words}"
    kernel.report(rules.BAD_COMBINE, name.span, message, *notes, fixes=made)
    return None


def check_combinable(
    kernel: KernelContext, op: ir.CombineOp, element: types.Type, span: Span, fixes: tuple[Fix, ...] = ()
) -> bool:
    """Whether `op` is defined on elements of this type; `fixes` are for the case that it is not."""
    if op is ir.CombineOp.LAST:
        return True
    problem = None
    if types.contains_enum(element):
        problem = "an enum"
    elif types.contains(element, types.BOOL):
        problem = "a Bool"
    if problem is None:
        return True
    kernel.report(
        rules.BAD_COMBINE,
        span,
        f"`{op.value}` is not defined on {element}: it holds {problem}",
        "use Ints 0 and 1 for flags" if problem == "a Bool" else "`last` takes any element",
        fixes=fixes,
    )
    return False
