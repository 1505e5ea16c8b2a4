"""A job as its task sees it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from .errors import FermataError

if TYPE_CHECKING:
    from .worker import Worker


class LeaseLost(FermataError):
    """Raised by `job.check()`: the job was cancelled or given to another worker."""


class Job:
    """One attempt of one job, as its task sees it."""

    def __init__(self, worker: "Worker", delivered: Mapping[str, Any]) -> None:
        self._worker = worker
        self.id: str = delivered["job_id"]
        self.attempt: int = delivered["attempt"]
        self.fence: int = delivered["fence"]
        self.topic: str = delivered["topic"]
        self.labels: Dict[str, str] = dict(delivered.get("labels") or {})
        self.env: Any = delivered.get("env")
        #: The same on every attempt: hand it to whatever must not happen twice.
        self.idempotency_key: str = delivered.get("idempotency_key") or self.id
        self.deadline_at: Optional[str] = delivered.get("deadline_at")
        self.run_id: Optional[str] = delivered.get("run_id")
        self.workflow_id: Optional[str] = delivered.get("workflow_id")
        self.step_id: Optional[str] = delivered.get("step_id")
        self.traceparent: Optional[str] = delivered.get("traceparent")
        self.constraints: Any = delivered.get("constraints")
        self.is_compensation: bool = bool(delivered.get("is_compensation"))
        #: Set when the result is no longer wanted: cancelled, or the lease is lost.
        self.cancelled = threading.Event()
        self.percent: Optional[int] = None
        self.message: Optional[str] = None
        self._input = delivered.get("input")
        self._input_blob: Optional[Mapping[str, Any]] = delivered.get("input_blob")
        self._artifacts: List[Dict[str, Any]] = []

    @property
    def input(self) -> Any:
        if self._input_blob is not None:
            self._input = self._worker._read_blob(self._input_blob["sha256"])
            self._input_blob = None
        return self._input

    def progress(self, percent: float, message: Optional[str] = None) -> None:
        """Told to the server with the next heartbeat."""
        self.percent, self.message = max(0, min(100, int(percent))), message

    def log(self, *lines: str) -> None:
        """Adds lines to the log of this attempt. A log that cannot be written fails no task."""
        self._worker._log(self, [str(line) for line in lines])

    def artifact(self, name: str, data: bytes) -> None:
        """Keeps bytes with the job under a name, should the task succeed."""
        self._artifacts.append({**self._worker._put_artifact(self, name, data), "name": name})

    def check(self) -> None:
        """Raises LeaseLost once the result is no longer wanted."""
        if self.cancelled.is_set():
            raise LeaseLost(f"job {self.id} is no longer ours")

    def lease(self) -> Dict[str, Any]:
        lease: Dict[str, Any] = {"job_id": self.id, "fence": self.fence}
        if self.percent is not None:
            lease["percent"] = self.percent
        if self.message is not None:
            lease["message"] = self.message
        return lease
