"""Running kernels for the editor, in a process that can be ended."""

from kcheck.lsp.runs.messages import Limits, RunRequest
from kcheck.lsp.runs.results import Comparison, RunResult
from kcheck.lsp.runs.runner import Runner, Superseded

__all__ = ["Comparison", "Limits", "RunRequest", "RunResult", "Runner", "Superseded"]
