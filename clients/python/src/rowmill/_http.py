"""
One attempt of one request over a connection that is kept for the next one. Everything that can go wrong on the network becomes a
RowmillConnectionError or a RowmillTimeoutError.
"""

from __future__ import annotations

import errno
import http.client
import os
import select
import socket
import ssl
import threading
from types import TracebackType
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Type, Union
from urllib.parse import SplitResult, urlsplit

from ._errors import RowmillConnectionError, RowmillTimeoutError

#: Idle connections of a client; more threads than that at once open connections of their own.
MAX_IDLE = 8
#: Read at a time.
READ_BYTES = 256 * 1024

#: A connection that was not made: by the other side, for want of its address, or of a way to it.
UNSENT = (ConnectionRefusedError, socket.gaierror)
UNSENT_ERRORS = (errno.EHOSTUNREACH, errno.ENETUNREACH)

Body = Union[bytes, Iterable[bytes], None]


class Response:
    """A response whose body is read by its user. Use it as a context: what is not read to its end is closed."""

    def __init__(self, pool: "Pool", connection: http.client.HTTPConnection, raw: http.client.HTTPResponse) -> None:
        self.status = raw.status
        self.headers: Dict[str, str] = {name.lower(): value for name, value in raw.getheaders()}
        self._pool = pool
        self._connection: Optional[http.client.HTTPConnection] = connection
        self._raw = raw

    def __enter__(self) -> "Response":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._raw.isclosed() and not self._raw.will_close:
            self._pool.give_back(connection)
        else:
            connection.close()

    def read(self, limit: Optional[int] = None) -> bytes:
        with _network_errors("the response broke off"):
            return self._raw.read() if limit is None else self._raw.read(limit)

    def chunks(self) -> Iterator[bytes]:
        """What has arrived, without a wait for a full buffer: a stream of events sends little at a time."""
        while True:
            with _network_errors("the response broke off"):
                chunk = self._raw.read1(READ_BYTES)
                if not chunk and self._raw.length not in (None, 0):
                    raise RowmillConnectionError("the response broke off: bytes are missing at its end")
            if not chunk:
                return
            yield chunk


class Pool:
    """Connections to the origins of one client, for all of its threads."""

    def __init__(self, timeout: float, context: Optional[ssl.SSLContext]) -> None:
        self.timeout = timeout
        self._context = context
        self._idle: Dict[Tuple[str, str], List[http.client.HTTPConnection]] = {}
        self._lock = threading.Lock()
        self._pid = os.getpid()

    def send(self, method: str, url: str, headers: Mapping[str, str], body: Body, timeout: Optional[float]) -> Response:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = self._take(parts, self.timeout if timeout is None else timeout)
        try:
            with _network_errors(f"no response from {parts.scheme}://{parts.netloc}", connection):
                is_chunked = body is not None and not isinstance(body, bytes) and "content-length" not in headers
                extra = {"transfer-encoding": "chunked"} if is_chunked else {}
                sent = body if body is None or isinstance(body, bytes) else _while_silent(body, connection)
                is_whole = True
                try:
                    connection.request(method, target, sent, {**headers, **extra}, encode_chunked=is_chunked)
                except (BrokenPipeError, ConnectionResetError, _Answered):
                    # A service that refuses content responds before it has read all of it.
                    if body is None or isinstance(body, bytes):
                        raise
                    is_whole = False
                raw = connection.getresponse()
                # What is left of the content would be taken for the next request.
                raw.will_close = raw.will_close or not is_whole
                return Response(self, connection, raw)
        except BaseException:
            connection.close()
            raise

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        key = ("https" if isinstance(connection, http.client.HTTPSConnection) else "http", _address(connection))
        with self._lock:
            idle = self._idle.setdefault(key, [])
            if self._pid == os.getpid() and len(idle) < MAX_IDLE:
                idle.append(connection)
                return
        connection.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    def _take(self, parts: SplitResult, timeout: float) -> http.client.HTTPConnection:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        key = (parts.scheme, f"{parts.hostname}:{port}")
        while True:
            with self._lock:
                if self._pid != os.getpid():
                    # A fork: the sockets belong to the parent.
                    self._idle, self._pid = {}, os.getpid()
                idle = self._idle.get(key)
                connection = idle.pop() if idle else None
            if connection is None:
                break
            # Nothing is to be read from an idle connection but its end.
            if connection.sock is not None and not _has_input(connection.sock):
                connection.sock.settimeout(timeout)
                return connection
            connection.close()
        if parts.scheme == "https":
            if self._context is None:
                self._context = ssl.create_default_context()
            return http.client.HTTPSConnection(parts.hostname or "", port, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(parts.hostname or "", port, timeout=timeout)


def _address(connection: http.client.HTTPConnection) -> str:
    return f"{connection.host}:{connection.port}"


class _Answered(Exception):
    """There is a response before all of the content was sent."""


def _while_silent(body: Iterable[bytes], connection: http.client.HTTPConnection) -> Iterator[bytes]:
    for chunk in body:
        yield chunk
        sock = connection.sock
        # What comes over TLS need not be a response; there a refusal is seen when the service closes the connection, or at the end.
        if sock is not None and not isinstance(sock, ssl.SSLSocket) and _has_input(sock):
            raise _Answered


def _has_input(sock: socket.socket) -> bool:
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])


class _network_errors:
    """Gives errors of the network their class; everything else passes."""

    def __init__(self, what: str, connection: Optional[http.client.HTTPConnection] = None) -> None:
        self._what = what
        self._connection = connection

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if isinstance(error, socket.timeout):
            raise RowmillTimeoutError(f"{self._what}: nothing came in time") from error
        if isinstance(error, http.client.IncompleteRead):
            raise RowmillConnectionError(f"{self._what}: bytes are missing at its end") from error
        if isinstance(error, (OSError, http.client.HTTPException)):
            made = RowmillConnectionError(f"{self._what}: {error or type(error).__name__}")
            # A connection that was made can lose its way, too.
            was_connected = self._connection is None or self._connection.sock is not None
            has_no_way = getattr(error, "errno", None) in UNSENT_ERRORS and not was_connected
            made.is_unsent = isinstance(error, UNSENT) or has_no_way
            raise made from error
