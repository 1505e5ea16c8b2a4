"""Start executions, talk to them, wait for what comes of them."""

from __future__ import annotations

import ssl
import time
import uuid
from typing import Any, Dict, Iterator, List, Mapping, Optional

from ._transport import Transport, path_of
from .errors import ExecutionEnded, Unreachable

_ENDED = ("completed", "failed", "cancelled", "timed_out")


class Client:
    """A client of one server. Safe from several threads.

    `server` and `key` default to FERMATA_SERVER and FERMATA_KEY.
    """

    def __init__(
        self,
        server: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._http = Transport(server, key, timeout=timeout, patience=patience, context=context)

    def close(self) -> None:
        """Closes its connections; it may be used again."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def put_workflow(self, workflow_id: str, definition: Mapping[str, Any]) -> Dict[str, Any]:
        """Stores a definition: a graph, or `{"language": "flow", "source": …}`."""
        path = "/api/v1" + path_of("workflows", workflow_id)
        return self._http.request("PUT", path, dict(definition))

    def put_flow(self, workflow_id: str, source: str) -> Dict[str, Any]:
        """Stores a flow script."""
        return self.put_workflow(workflow_id, {"language": "flow", "source": source})

    def start(
        self,
        workflow_id: str,
        input: Any = None,
        *,
        version: Optional[int] = None,
        labels: Optional[Mapping[str, str]] = None,
        contact_id: Optional[str] = None,
        start_at: Optional[str] = None,
        timeout_ms: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> "Execution":
        """Starts an execution. It is durable when this returns.

        The same `idempotency_key` gives the same execution; without one a fresh key makes it safe
        to send the request again when the connection breaks.
        """
        body: Dict[str, Any] = {"input": {} if input is None else input}
        fields = {
            "version": version,
            "labels": dict(labels) if labels is not None else None,
            "contact_id": contact_id,
            "start_at": start_at,
            "timeout_ms": timeout_ms,
        }
        body.update({k: v for k, v in fields.items() if v is not None})
        answer = self._http.request(
            "POST",
            "/api/v1" + path_of("workflows", workflow_id, "executions"),
            body,
            headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())},
            repeat=True,
        )
        return Execution(self, answer["id"])

    def execution(self, execution_id: str) -> "Execution":
        """A handle of an execution that was started elsewhere."""
        return Execution(self, execution_id)

    def executions(self, *, limit: int = 100, **filters: Any) -> Iterator[Dict[str, Any]]:
        """All executions a filter selects, newest first, page by page.

        Filters: status, workflow_id, label, contact_id, parent, q; `from_` and `to` bound when
        they started.
        """
        if "from_" in filters:
            filters["from"] = filters.pop("from_")
        cursor: Optional[str] = None
        while True:
            page = self._http.request(
                "GET", "/api/v1/executions", query={**filters, "limit": limit, "cursor": cursor}
            )
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return


class Execution:
    """One execution, by its id."""

    def __init__(self, client: Client, execution_id: str) -> None:
        self.id = execution_id
        self._http = client._http

    def __repr__(self) -> str:
        return f"Execution({self.id!r})"

    def get(self) -> Dict[str, Any]:
        """What it is doing now: status, what it waits for, output or error."""
        return self._http.request("GET", self._path())

    def history(self) -> List[Dict[str, Any]]:
        """Its events from the first on."""
        events: List[Dict[str, Any]] = []
        cursor: Optional[str] = None
        while True:
            page = self._http.request(
                "GET", self._path("history"), query={"limit": 1000, "cursor": cursor}
            )
            events.extend(page["items"])
            cursor = page.get("next_cursor")
            if not cursor:
                return events

    def signal(self, name: str, payload: Any = None, *, signal_id: Optional[str] = None) -> None:
        """Sends a signal; it is kept until the execution takes it.

        A signal of the same `signal_id` is taken once.
        """
        self._http.request(
            "POST",
            self._path("signals", name),
            {"payload": payload, "id": signal_id or str(uuid.uuid4())},
            repeat=True,
        )

    def cancel(self, reason: str = "") -> Dict[str, Any]:
        return self._http.request("POST", self._path("cancel"), {"reason": reason}, repeat=True)

    def pause(self) -> Dict[str, Any]:
        return self._http.request("POST", self._path("pause"), {}, repeat=True)

    def resume(self) -> Dict[str, Any]:
        return self._http.request("POST", self._path("resume"), {}, repeat=True)

    def result(self, timeout: Optional[float] = None) -> Any:
        """Waits for the end and answers with the output.

        Raises ExecutionEnded when it did not complete and TimeoutError when it has not ended
        after `timeout` seconds. A server that restarts meanwhile is waited for.
        """
        last_id: Optional[str] = None
        gives_up = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if gives_up is None else gives_up - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"execution {self.id} has not ended after {timeout} s")
            state = self._http.request("GET", self._path(), patience=left)
            if state["status"] in _ENDED:
                break
            last_id = self._follow(last_id, 60.0 if left is None else min(60.0, max(0.05, left)))
        if state["status"] != "completed":
            raise ExecutionEnded(state)
        return state.get("output")

    def _follow(self, last_id: Optional[str], seconds: float) -> Optional[str]:
        """Reads the live stream until the execution ends, the stream breaks or time is over."""
        until = time.monotonic() + seconds
        try:
            for number, kind, data in self._http.events(self._path("stream"), last_id, seconds):
                last_id = number or last_id
                ended = kind == "run" and data.get("status") in _ENDED
                if ended or time.monotonic() > until:
                    return last_id
        except Unreachable:
            pass
        time.sleep(0.05)
        return last_id

    def _path(self, *more: str) -> str:
        return "/api/v1" + path_of("executions", self.id, *more)
