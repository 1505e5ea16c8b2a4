"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional


class FermataError(Exception):
    """The root of everything this package raises."""


class Unreachable(FermataError):
    """The server could not be reached, or kept answering that it cannot serve."""


class Refused(FermataError):
    """The server answered with a problem document (RFC 7807)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        self.detail = str(problem.get("detail") or problem.get("title") or "")
        self.errors: List[Dict[str, Any]] = list(problem.get("errors") or [])
        places = "".join(f"\n  {e.get('path', '')}: {e.get('message', '')}" for e in self.errors)
        super().__init__(f"{status} {self.code}: {self.detail}{places}")


class NotFound(Refused):
    """404: there is no such thing in this account."""


class Conflict(Refused):
    """409: the thing is in another state, or the key was used for another request."""


class ExecutionEnded(FermataError):
    """An execution whose result was asked for did not complete."""

    def __init__(self, execution: Mapping[str, Any]) -> None:
        self.execution = dict(execution)
        self.status = str(execution.get("status", ""))
        error = execution.get("error") or {}
        self.code = str(error.get("code", ""))
        self.error: Dict[str, Any] = dict(error)
        reason = error.get("message") or execution.get("exit_reason") or ""
        name = execution.get("id")
        super().__init__(f"execution {name} {self.status}: {self.code} {reason}".rstrip())


class Retryable(FermataError):
    """Raised by a task: this attempt failed, another one may succeed."""

    def __init__(self, message: str = "", code: str = "retryable", details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


class Fatal(FermataError):
    """Raised by a task: no attempt can succeed, and what the execution did must be undone."""

    def __init__(self, message: str = "", code: str = "fatal", details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


def refusal(status: int, problem: Optional[Mapping[str, Any]]) -> Refused:
    kinds = {404: NotFound, 409: Conflict}
    return kinds.get(status, Refused)(status, problem or {})
