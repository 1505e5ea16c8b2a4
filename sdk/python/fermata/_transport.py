"""HTTP with the patience a durable server deserves: what may be repeated is repeated."""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import ssl
import threading
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple
from urllib.parse import quote, urlencode, urlsplit

from .errors import Unreachable, refusal

DEFAULT_SERVER = "http://127.0.0.1:4747"
_BROKEN = (ConnectionError, http.client.HTTPException, socket.timeout, ssl.SSLError, OSError)
#: The server did not take the request, so that it may be sent again.
_TURNED_AWAY = (429, 503)


def path_of(*parts: str) -> str:
    return "/" + "/".join(quote(part, safe="") for part in parts)


def json_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


class Transport:
    """Connections to one server, as many as requests under way. Safe from several threads."""

    def __init__(
        self,
        server: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = 30.0,
        patience: float = 60.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.server = (server or os.environ.get("FERMATA_SERVER") or DEFAULT_SERVER).rstrip("/")
        self._key = key if key is not None else os.environ.get("FERMATA_KEY")
        self._timeout = timeout
        self._patience = patience
        self._context = context
        address = urlsplit(self.server)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"not the address of a server: {self.server!r}")
        self._address = address
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._opened: Set[http.client.HTTPConnection] = set()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        repeat: Optional[bool] = None,
        timeout: Optional[float] = None,
        patience: Optional[float] = None,
    ) -> Any:
        """Sends a request and answers with the JSON that came back.

        `repeat` says that sending it twice does no harm: then a broken connection and a server
        that is restarting are waited out for `patience` seconds. Reads, PUT and DELETE may always
        be repeated.
        """
        status, _, text = self.exchange(
            method, path, body, query=query, headers=headers, repeat=repeat, timeout=timeout,
            patience=patience,
        )
        if status >= 400:
            raise refusal(status, _object(text))
        return json.loads(text) if text else None

    def exchange(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        repeat: Optional[bool] = None,
        timeout: Optional[float] = None,
        patience: Optional[float] = None,
    ) -> Tuple[int, Mapping[str, str], bytes]:
        """The same without judging the status."""
        if repeat is None:
            repeat = method in ("GET", "PUT", "DELETE")
        target, sent_headers, payload = self._prepare(path, body, query, headers)
        gives_up = time.monotonic() + (self._patience if patience is None else patience)
        for attempt in range(1_000_000):
            pause = min(5.0, 0.1 * 2 ** min(attempt, 6)) * random.uniform(0.5, 1.0)
            try:
                answer = self._send(method, target, payload, sent_headers, timeout)
                if answer[0] not in _TURNED_AWAY:
                    return answer
                pause = max(pause, _seconds(answer[1].get("retry-after")))
                if time.monotonic() + pause > gives_up:
                    return answer
            except _BROKEN as broken:
                if not repeat or time.monotonic() + pause > gives_up:
                    reason = broken or type(broken).__name__
                    raise Unreachable(f"{self.server}: {reason}") from broken
            time.sleep(pause)
        raise Unreachable(self.server)

    def events(
        self, path: str, last_id: Optional[str], timeout: float
    ) -> Iterator[Tuple[str, str, Any]]:
        """Server-sent events as (id, event, data) until the connection ends."""
        headers = {"Accept": "text/event-stream"}
        if last_id:
            headers["Last-Event-ID"] = last_id
        target, sent_headers, _ = self._prepare(path, None, None, headers)
        connection = self._open(timeout)
        try:
            connection.request("GET", target, headers=sent_headers)
            # It holds the socket as well: a stream is left before its end.
            with connection.getresponse() as answer:
                if answer.status != 200:
                    raise refusal(answer.status, _object(answer.read()))
                yield from _parse_events(answer)
        except _BROKEN:
            return
        finally:
            self._close(connection)

    def close(self) -> None:
        """Closes all connections; the next request opens another."""
        with self._lock:
            opened, self._opened, self._idle = self._opened, set(), []
        for connection in opened:
            connection.close()

    def _take(self, timeout: float) -> http.client.HTTPConnection:
        """A connection for one request: the one that was used last is the likeliest to be alive."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            return self._open(timeout)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            kept = connection in self._opened
            if kept:
                self._idle.append(connection)
        if not kept:  # everything was closed meanwhile
            connection.close()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            self._close(connection)

    def _close(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._opened.discard(connection)
        connection.close()

    def _prepare(
        self,
        path: str,
        body: Any,
        query: Optional[Mapping[str, Any]],
        headers: Optional[Mapping[str, str]],
    ) -> Tuple[str, Dict[str, str], Optional[bytes]]:
        target = self._address.path + path
        given = {k: v for k, v in (query or {}).items() if v is not None}
        if given:
            target += "?" + urlencode(given)
        out = {"Accept": "application/json"}
        if self._key:
            out["Authorization"] = f"Bearer {self._key}"
        payload: Optional[bytes] = None
        if isinstance(body, bytes):
            payload = body
            out["Content-Type"] = "application/octet-stream"
        elif body is not None:
            payload = json_of(body)
            out["Content-Type"] = "application/json"
        out.update(headers or {})
        return target, out, payload

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        connection: http.client.HTTPConnection
        if self._address.scheme == "https":
            connection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=self._context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        with self._lock:
            self._opened.add(connection)
        return connection

    def _send(
        self,
        method: str,
        target: str,
        payload: Optional[bytes],
        headers: Mapping[str, str],
        timeout: Optional[float],
    ) -> Tuple[int, Mapping[str, str], bytes]:
        connection = self._take(self._timeout if timeout is None else timeout)
        try:
            connection.request(method, target, body=payload, headers=dict(headers))
            with connection.getresponse() as answer:
                text = answer.read()
        except BaseException:
            # A server that has gone has left the idle ones as well.
            self._close(connection)
            self._close_idle()
            raise
        if answer.will_close:
            self._close(connection)
        else:
            self._give_back(connection)
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, text


def _object(text: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {"detail": text[:200].decode("utf-8", "replace")}
    return value if isinstance(value, dict) else {}


def _seconds(text: Optional[str]) -> float:
    try:
        return max(0.0, float(text or 0))
    except ValueError:
        return 0.0


def _parse_events(lines: Any) -> Iterator[Tuple[str, str, Any]]:
    number, kind, data = "", "message", []
    for raw in lines:
        line = raw.decode("utf-8").rstrip("\r\n")
        if not line:
            if data:
                yield number, kind, json.loads("\n".join(data))
            kind, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            number = value
        elif name == "event":
            kind = value
        elif name == "data":
            data.append(value)
