"""The events of the organization: the same that webhook endpoints receive, without an endpoint."""

from __future__ import annotations

import random
import time
from typing import Any, Callable, Dict, Iterator, Optional, Sequence

from .._errors import RowmillApiError, RowmillConnectionError, RowmillError, RowmillTimeoutError
from .._retry import backoff, parse_retry_after
from .._streams import ServerSentEvent, parse_server_sent_events
from .._transport import Transport

#: The service sends a heartbeat every 15 seconds: a connection that is silent for this long is dead.
SILENCE_SECONDS = 45.0


class Events:
    """Events as they happen."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def stream(
        self,
        types: Optional[Sequence[str]] = None,
        last_event_id: Optional[str] = None,
        follow: Optional[bool] = None,
        on_id: Callable[[str], None] = lambda _: None,
        **request: Any,
    ) -> Iterator[ServerSentEvent]:
        """
        The messages of one connection. `types` are types and patterns such as `run.*`; everything but events of rows if absent.
        `last_event_id` "0" begins with the oldest event. `follow=False` ends with the newest one.
        """
        headers = dict(request.pop("headers", None) or {})
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        response = self._transport.send(
            "streamEvents",
            {"timeout": SILENCE_SECONDS, **request, "headers": headers},
            lambda opened: opened,
            query={"type": types, "follow": follow},
            accept="text/event-stream",
            is_stream=True,
        )
        with response:
            yield from parse_server_sent_events(response.chunks(), on_id)

    def follow(
        self,
        types: Optional[Sequence[str]] = None,
        last_event_id: Optional[str] = None,
        on_disconnected: Optional[Callable[[RowmillError], None]] = None,
        on_connected: Optional[Callable[[], None]] = None,
        **request: Any,
    ) -> Iterator[ServerSentEvent]:
        """
        Follows the events until the loop is left. A connection that ends or breaks is made again after the last event; a refusal of
        the key or of what was requested is raised. `on_connected` is called for each connection that was made.
        """
        state: Dict[str, Any] = {"id": last_event_id, "attempt": 0, "is_connected": False}

        def on_id(id: str) -> None:
            if not state["is_connected"] and on_connected is not None:
                on_connected()
            # The next connection is made at once.
            state.update(id=id, attempt=0, is_connected=True)

        while True:
            delay = 0.0
            state["is_connected"] = False
            try:
                yield from self.stream(types, state["id"], on_id=on_id, **request)
                # It ended before anything arrived: the server there is not the service.
                if not state["is_connected"]:
                    delay = backoff(state["attempt"], random.random())
            except RowmillError as error:
                if not _is_passing(error):
                    raise
                delay = backoff(state["attempt"], random.random())
                if isinstance(error, RowmillApiError):
                    delay = max(delay, parse_retry_after(error.headers.get("retry-after"), time.time()) or 0.0)
                if on_disconnected is not None:
                    on_disconnected(error)
            state["attempt"] = 0 if state["is_connected"] else state["attempt"] + 1
            self._transport.sleep(delay)


def _is_passing(error: RowmillError) -> bool:
    if isinstance(error, RowmillApiError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, (RowmillConnectionError, RowmillTimeoutError))
