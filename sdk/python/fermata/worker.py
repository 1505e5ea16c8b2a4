"""Workers: they claim jobs, run the task of each, and report what came of it.

A job may be handed out more than once (the worker before may have died after doing its work), so
a task that reaches the outside passes `job.idempotency_key` on.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import signal
import socket
import ssl
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._transport import Transport, path_of
from .errors import Conflict, Fatal, FermataError, NotFound, Refused, Retryable

log = logging.getLogger("fermata.worker")

Task = Callable[[Any, "Job"], Any]

_RESULTS_MAX = 256
_CLAIM_WAIT_MS = 20_000


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


class Worker:
    """Runs the tasks of a pool, `slots` of them at a time.

    Plain functions run in threads, coroutine functions on one event loop. `server` and `key`
    default to FERMATA_SERVER and FERMATA_KEY.
    """

    def __init__(
        self,
        pool: str = "default",
        slots: int = 4,
        *,
        server: Optional[str] = None,
        key: Optional[str] = None,
        worker_id: Optional[str] = None,
        labels: Optional[Mapping[str, str]] = None,
        capabilities: Sequence[str] = (),
        region: Optional[str] = None,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.pool = pool
        self.slots = slots
        self.worker_id = worker_id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._labels = dict(labels or {})
        self._capabilities = list(capabilities)
        self._region = region
        self._http = Transport(server, key, context=context, patience=5.0)
        self._tasks: Dict[str, Task] = {}
        self._lock = threading.Condition()
        self._leases: Dict[str, Job] = {}
        self._results: List[Dict[str, Any]] = []
        self._registration = ""
        self._heartbeat_s = 10.0
        self._lease_s = 30.0
        self._seq = 0
        self._answered = 0  # the last claim whose answer has come
        self._stopping = threading.Event()
        self._quiet = threading.Event()
        self._threads: List[threading.Thread] = []
        self._pool: Optional[ThreadPoolExecutor] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def task(self, topic: str) -> Callable[[Task], Task]:
        """Names the function that does the jobs of a topic."""

        def register(function: Task) -> Task:
            self._tasks[_full_topic(topic)] = function
            return function

        return register

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, finishes what is under way, and returns."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        self.start()
        while not self._stopping.wait(0.5):
            pass
        self.stop()

    def start(self) -> None:
        """Begins to work in threads of its own."""
        if not self._tasks:
            raise ValueError("a worker without a task has nothing to do")
        self._register()
        self._pool = ThreadPoolExecutor(max_workers=self.slots, thread_name_prefix="task")
        self._loop = asyncio.new_event_loop()
        loops = (self._loop.run_forever, self._beat, self._send_results, self._claim)
        for loop in loops:
            thread = threading.Thread(target=loop, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self, timeout: float = 30.0) -> None:
        """Claims nothing more, finishes what is under way, hands the rest back."""
        self._stopping.set()
        until = time.monotonic() + timeout
        with self._lock:
            self._lock.notify_all()
            while (self._leases or self._results) and time.monotonic() < until:
                self._lock.wait(0.1)
            for job in self._leases.values():
                job.cancelled.set()
        self._quiet.set()
        with self._lock:
            self._lock.notify_all()
            registration, self._registration = self._registration, ""
        if registration:
            try:
                self._http.request("DELETE", self._path("registrations", registration))
            except FermataError as error:
                log.warning("could not sign off: %s", error)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        if self._pool is not None:
            self._pool.shutdown(wait=False)
        for thread in self._threads:
            thread.join(5.0)
        self._threads = []
        if self._loop is not None and not self._loop.is_running():
            self._loop.close()
            self._loop = None
        self._http.close()

    # Registration

    def _register(self) -> None:
        with self._lock:
            resume = [{"job_id": job.id, "fence": job.fence} for job in self._leases.values()]
        body: Dict[str, Any] = {
            "worker_id": self.worker_id,
            "pool": self.pool,
            "topics": sorted(self._tasks),
            "max_parallel": self.slots,
            "capabilities": self._capabilities,
            "labels": self._labels,
            "sdk": "python/0.1.0",
            "resume": resume,
        }
        if self._region:
            body["region"] = self._region
        answer = self._http.request(
            "POST", self._path("register"), body, repeat=True, patience=3600.0)
        with self._lock:
            self._registration = answer["registration_id"]
            self._heartbeat_s = answer["heartbeat_ms"] / 1000
            self._lease_s = answer["lease_ms"] / 1000
            self._seq = self._answered = 0
        self._drop(answer.get("lost") or [])

    def _is_stranger(self, error: Refused) -> bool:
        """True when the server no longer knows this registration."""
        return isinstance(error, (Conflict, NotFound))

    def _again(self, registration: str) -> None:
        """Registers anew unless another thread has done so already."""
        with self._lock:
            if registration != self._registration:
                return
            self._registration = ""
        if not self._quiet.is_set():
            self._register()

    # Claims

    def _claim(self) -> None:
        repeated: Optional[Tuple[str, Dict[str, Any]]] = None
        while not self._stopping.is_set():
            with self._lock:
                free = self.slots - len(self._leases)
                registration = self._registration
                if free <= 0 or not registration:
                    self._lock.wait(1.0)
                    continue
                if repeated is None or repeated[0] != registration:
                    self._seq += 1
                    repeated = (registration, {
                        "registration_id": registration, "seq": self._seq, "slots": free,
                        "wait_ms": _CLAIM_WAIT_MS})
            try:
                # A lost answer is asked for again under the same number, so no job is lost with it.
                answer = self._http.request(
                    "POST", self._path("claim"), repeated[1], repeat=True,
                    timeout=_CLAIM_WAIT_MS / 1000 + 10)
            except Refused as error:
                repeated = None
                if self._is_stranger(error):
                    self._again(registration)
                else:
                    log.error("the claim was refused: %s", error)
                    self._stopping.wait(1.0)
                continue
            except FermataError as error:
                log.warning("cannot claim: %s", error)
                continue
            seq = repeated[1]["seq"]
            repeated = None
            self._drop(answer.get("cancels") or [])
            if answer.get("drain"):
                self._stopping.set()
            for delivered in answer.get("jobs") or []:
                self._take(delivered)
            with self._lock:
                # Only now: a heartbeat that covers the claim must name all of its jobs.
                if registration == self._registration:
                    self._answered = seq

    def _take(self, delivered: Mapping[str, Any]) -> None:
        job = Job(self, delivered)
        with self._lock:
            if job.id in self._leases and self._leases[job.id].fence == job.fence:
                return
            self._leases[job.id] = job
        task = self._tasks.get(job.topic)
        assert self._pool is not None and self._loop is not None
        if task is None:
            self._decline(job)
        elif inspect.iscoroutinefunction(task):
            asyncio.run_coroutine_threadsafe(self._run_async(job, task), self._loop)
        else:
            self._pool.submit(self._run_plain, job, task)

    def _decline(self, job: Job) -> None:
        try:
            self._http.request(
                "POST", self._path("jobs", job.id, "decline"),
                {"registration_id": self._registration, "fence": job.fence,
                 "reason": f"no task for {job.topic}"}, repeat=True)
        except FermataError as error:
            log.warning("could not decline %s: %s", job.id, error)
        self._forget(job)

    # Tasks

    def _run_plain(self, job: Job, task: Task) -> None:
        begun = time.monotonic()
        try:
            self._finish(job, begun, {"status": "succeeded", "output": task(job.input, job)})
        except BaseException as error:  # noqa: B902 - whatever a task raises is its result
            self._finish(job, begun, self._failure(job, error))

    async def _run_async(self, job: Job, task: Task) -> None:
        begun = time.monotonic()
        try:
            running = asyncio.ensure_future(task(job.input, job))
            watching = asyncio.ensure_future(self._watch(job))
            await asyncio.wait({running, watching}, return_when=asyncio.FIRST_COMPLETED)
            watching.cancel()
            if not running.done():
                running.cancel()
            self._finish(job, begun, {"status": "succeeded", "output": await running})
        except BaseException as error:  # noqa: B902
            self._finish(job, begun, self._failure(job, error))

    async def _watch(self, job: Job) -> None:
        while not job.cancelled.is_set():
            await asyncio.sleep(0.05)

    def _failure(self, job: Job, error: BaseException) -> Dict[str, Any]:
        if job.cancelled.is_set():
            return {"status": "cancelled"}
        told = {"code": type(error).__name__, "message": str(error) or type(error).__name__}
        if isinstance(error, (Retryable, Fatal)):
            told["code"] = error.code
            if error.details is not None:
                told["details"] = error.details
        else:
            log.exception("task %s failed", job.topic, exc_info=error)
        status = "failed"
        if isinstance(error, Retryable):
            status = "failed_retryable"
        elif isinstance(error, Fatal):
            status = "failed_fatal"
        return {"status": status, "error": told}

    def _finish(self, job: Job, begun: float, outcome: Dict[str, Any]) -> None:
        outcome.update({
            "job_id": job.id,
            "attempt": job.attempt,
            "fence": job.fence,
            "execution_ms": int((time.monotonic() - begun) * 1000),
        })
        if outcome["status"] == "succeeded" and job._artifacts:
            outcome["artifacts"] = job._artifacts
        with self._lock:
            self._results.append(outcome)
            self._lock.notify_all()

    # Results: kept until they are answered

    def _send_results(self) -> None:
        while True:
            with self._lock:
                while not self._results and not self._quiet.is_set():
                    self._lock.wait(1.0)
                if not self._results:
                    return
                batch = self._results[:_RESULTS_MAX]
            if not self._deliver(batch):
                if self._quiet.is_set():
                    return
                continue
            with self._lock:
                del self._results[: len(batch)]
                for result in batch:
                    job = self._leases.get(result["job_id"])
                    if job is not None and job.fence == result["fence"]:
                        del self._leases[result["job_id"]]
                self._lock.notify_all()

    def _deliver(self, batch: List[Dict[str, Any]]) -> bool:
        registration = self._registration
        try:
            answer = self._http.request(
                "POST", self._path("results"),
                {"registration_id": registration, "results": batch}, repeat=True)
            self._note_answers(batch, answer)
            return True
        except (TypeError, ValueError) as error:
            return self._deliver_singly(batch, "output_not_json", str(error))
        except Refused as error:
            if error.status == 413:
                return self._deliver_singly(batch, "result_too_large", error.detail)
            if self._is_stranger(error):
                # The server has started again: what we hold is named anew, then told.
                self._again(registration)
                return False
            log.error("results were refused: %s", error)
            return True
        except FermataError as error:
            log.warning("cannot report: %s", error)
            self._quiet.wait(0.2)
            return False

    def _deliver_singly(self, batch: List[Dict[str, Any]], code: str, message: str) -> bool:
        """Of several results one cannot be sent: the others must not suffer for it."""
        if len(batch) > 1:
            return all([self._deliver([one]) for one in batch])
        failed = {k: v for k, v in batch[0].items() if k not in ("output", "artifacts")}
        failed.update({"status": "failed", "error": {"code": code, "message": message[:1000]}})
        return self._deliver([failed])

    def _note_answers(self, batch: List[Dict[str, Any]], answer: Any) -> None:
        for result, told in zip(batch, (answer or {}).get("results") or []):
            verdict = told.get("answer") if isinstance(told, dict) else told
            if verdict not in ("accepted", "duplicate"):
                log.warning("the result of %s was not taken: %s", result["job_id"], told)

    # Heartbeats

    def _beat(self) -> None:
        heard = time.monotonic()
        while not self._quiet.wait(self._heartbeat_s):
            with self._lock:
                registration = self._registration
                body = {
                    "registration_id": registration,
                    "last_seq": self._answered,
                    "cpu_load": _cpu_load(),
                    "draining": self._stopping.is_set(),
                    "leases": [job.lease() for job in self._leases.values()],
                }
            try:
                answer = self._http.request(
                    "POST", self._path("heartbeat"), body, repeat=True,
                    patience=self._heartbeat_s / 2)
                heard = time.monotonic()
                self._drop((answer.get("lost") or []) + (answer.get("cancels") or []))
                if answer.get("drain"):
                    self._stopping.set()
            except Refused as error:
                if self._is_stranger(error):
                    self._again(registration)
                else:
                    log.error("the heartbeat was refused: %s", error)
            except FermataError as error:
                log.warning("no heartbeat: %s", error)
                if time.monotonic() - heard > self._lease_s:
                    self._drop([job.lease() for job in list(self._leases.values())])

    def _drop(self, lost: Sequence[Any]) -> None:
        """Tells the tasks of these leases that nobody waits for them any longer."""
        with self._lock:
            for one in lost:
                name = one.get("job_id") if isinstance(one, dict) else one
                fence = one.get("fence") if isinstance(one, dict) else None
                job = self._leases.get(str(name))
                if job is not None and fence in (None, job.fence):
                    job.cancelled.set()

    def _forget(self, job: Job) -> None:
        with self._lock:
            if self._leases.get(job.id) is job:
                del self._leases[job.id]
            self._lock.notify_all()

    def _read_blob(self, sha256: str) -> Any:
        return self._http.request("GET", self._path("blobs", sha256))

    def _log(self, job: Job, lines: List[str]) -> None:
        body = {"registration_id": self._registration, "fence": job.fence, "lines": lines}
        try:
            self._http.request("POST", self._path("jobs", job.id, "logs"), body, repeat=True)
        except FermataError as error:
            log.warning("the log of %s was not taken: %s", job.id, error)

    def _put_artifact(self, job: Job, name: str, data: bytes) -> Dict[str, Any]:
        path = self._path("jobs", job.id, "artifacts", name)
        return dict(self._http.request("PUT", path, data, query={"fence": job.fence}))

    def _path(self, *parts: str) -> str:
        return "/api/v1/worker" + path_of(*parts)


def _full_topic(topic: str) -> str:
    return topic if topic.startswith("job.") else "job." + topic


def _cpu_load() -> float:
    try:
        return min(100.0, 100.0 * os.getloadavg()[0] / (os.cpu_count() or 1))
    except OSError:
        return 0.0
