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

from ._load import cpu_load
from ._transport import Transport, json_of, path_of
from .errors import Fatal, FermataError, Refused, Retryable
from .job import Job

log = logging.getLogger("fermata.worker")

Task = Callable[[Any, Job], Any]

_RESULTS_MAX = 256
_SLOTS_MAX = 256  # of one claim
_INLINE_BYTES_MAX = 1 << 20  # larger outputs are put aside first
_CLAIM_WAIT_MS = 20_000
_NOT_JSON = (TypeError, ValueError, RecursionError)


class Worker:
    """Runs the tasks of a pool, `slots` of them at a time.

    Plain functions run in threads, coroutine functions on one event loop. `server` and `key`
    default to FERMATA_SERVER and FERMATA_KEY.

    A worker that the server no longer takes (its key was withdrawn, another process works under
    its id) ends: `run` raises the refusal, and `failure` holds it.
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
        #: Why the server takes this worker no longer.
        self.failure: Optional[FermataError] = None
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
        if self.failure is not None:
            raise self.failure

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
            self._lock.notify_all()
        self._drop(answer.get("lost") or [])

    def _refused(self, registration: str, error: Refused, what: str) -> None:
        """What a refusal means: register anew, end, or go on after a while."""
        if error.code == "registration_not_found":
            self._again(registration)
        elif error.status in (401, 403) or error.code == "registration_replaced":
            self._end(registration, error)
        else:
            log.error("%s was refused: %s", what, error)
            self._quiet.wait(1.0)

    def _again(self, registration: str) -> None:
        """Registers anew unless another thread does so or has done so already."""
        with self._lock:
            if not registration or registration != self._registration or self._quiet.is_set():
                return
            self._registration = ""
        try:
            self._register()
        except FermataError as error:
            log.error("cannot register: %s", error)
            with self._lock:
                self._registration = registration
            if isinstance(error, Refused) and error.status < 500:
                self._end(registration, error)
            else:
                self._quiet.wait(1.0)

    def _end(self, registration: str, error: FermataError) -> None:
        """Nobody takes what this worker does any longer."""
        with self._lock:
            if registration != self._registration or self.failure is not None:
                return
            log.error("the worker ends: %s", error)
            self.failure = error
            self._registration = ""
            for job in self._leases.values():
                job.cancelled.set()
            self._leases.clear()
            self._results.clear()
            self._stopping.set()
            self._lock.notify_all()

    def _known_as(self) -> str:
        """The registration; waits a little while another thread makes one."""
        with self._lock:
            if not self._registration and self.failure is None and not self._quiet.is_set():
                self._lock.wait(1.0)
            return self._registration

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
                        "registration_id": registration, "seq": self._seq,
                        "slots": min(free, _SLOTS_MAX), "wait_ms": _CLAIM_WAIT_MS})
            try:
                # A lost answer is asked for again under the same number, so no job is lost with it.
                answer = self._http.request(
                    "POST", self._path("claim"), repeated[1], repeat=True,
                    timeout=_CLAIM_WAIT_MS / 1000 + 10)
            except Refused as error:
                repeated = None
                self._refused(registration, error, "the claim")
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
            self._finish(job, begun, self._success(task(job.input, job)))
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
            output = await running
            loop = asyncio.get_running_loop()
            self._finish(job, begun, await loop.run_in_executor(None, self._success, output))
        except BaseException as error:  # noqa: B902
            self._finish(job, begun, self._failure(job, error))

    async def _watch(self, job: Job) -> None:
        while not job.cancelled.is_set():
            await asyncio.sleep(0.05)

    def _success(self, output: Any) -> Dict[str, Any]:
        try:
            text = json_of(output)
        except _NOT_JSON as error:
            return _failed("output_not_json", str(error))
        if len(text) <= _INLINE_BYTES_MAX:
            return {"status": "succeeded", "output": output}
        try:
            blob = self._http.request("PUT", self._path("blobs"), text, patience=3600.0)
        except Refused as error:
            if error.status != 413:
                raise
            return _failed("result_too_large", error.detail)
        return {"status": "succeeded", "output_blob": blob}

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
        by_kind = {Retryable: "failed_retryable", Fatal: "failed_fatal"}
        status = next((s for kind, s in by_kind.items() if isinstance(error, kind)), "failed")
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
            self._results += [outcome] if self.failure is None else []
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
        registration = self._known_as()
        if not registration:
            return False
        try:
            answer = self._http.request(
                "POST", self._path("results"),
                {"registration_id": registration, "results": batch}, repeat=True)
            return self._note_answers(batch, answer)
        except _NOT_JSON as error:
            return self._deliver_singly(batch, "output_not_json", str(error))
        except Refused as error:
            if error.status == 413:
                return self._deliver_singly(batch, "result_too_large", error.detail)
            if error.status in (400, 422):
                return self._deliver_singly(batch, "invalid_result", str(error))
            # After a start of the server what we hold is named anew, then told.
            self._refused(registration, error, "a report")
            return False
        except FermataError as error:
            log.warning("cannot report: %s", error)
            self._quiet.wait(0.2)
            return False

    def _deliver_singly(self, batch: List[Dict[str, Any]], code: str, message: str) -> bool:
        """Of several results one cannot be sent: the others must not suffer for it."""
        if len(batch) > 1:
            return all([self._deliver([one]) for one in batch])
        if batch[0].get("error", {}).get("code") == code:
            log.error("the result of %s cannot be told: %s", batch[0]["job_id"], message)
            return True
        kept = {k: batch[0][k] for k in ("job_id", "attempt", "fence", "execution_ms")}
        return self._deliver([{**kept, **_failed(code, message)}])

    def _note_answers(self, batch: List[Dict[str, Any]], answer: Any) -> bool:
        told_all = True
        for result, told in zip(batch, (answer or {}).get("results") or []):
            if told["answer"] in ("accepted", "duplicate"):
                continue
            log.warning("the result of %s was not taken: %s", result["job_id"], told)
            if told["answer"] == "invalid":
                # The attempt is still open: it ends with what was wrong with its result.
                wrong = told.get("errors") or []
                reason = "; ".join(f"{e['path']}: {e['message']}" for e in wrong)
                told_all = self._deliver_singly([result], "invalid_result", reason) and told_all
        return told_all

    # Heartbeats

    def _beat(self) -> None:
        heard = time.monotonic()
        while not self._quiet.wait(self._heartbeat_s):
            registration = self._known_as()
            if not registration:
                continue
            with self._lock:
                body = {
                    "registration_id": registration,
                    "last_seq": self._answered,
                    "cpu_load": cpu_load(),
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
                self._refused(registration, error, "a heartbeat")
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


def _failed(code: str, message: str) -> Dict[str, Any]:
    return {"status": "failed", "error": {"code": code, "message": message[:1000]}}


def _full_topic(topic: str) -> str:
    return topic if topic.startswith("job.") else "job." + topic
