"""Waits for something that the service works on."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional, TypeVar

from ._errors import RowmillTimeoutError
from ._transport import Transport

T = TypeVar("T")

#: Seconds between two readings where somebody watches.
WATCHED_POLL_SECONDS = 1.0
#: Before the second reading; small things are done by then. The time doubles up to `poll_seconds`.
FIRST_POLL_SECONDS = 0.1
#: Readings of a wait are tried for about a minute: who waits for hours outlives a restart of the service.
MAX_RETRIES_OF_A_READING = 12


def wait_until(
    transport: Transport,
    what: str,
    read: Callable[[Dict[str, Any]], T],
    is_over: Callable[[T], bool],
    on_progress: Optional[Callable[[T], None]] = None,
    timeout: Optional[float] = None,
    poll_seconds: float = WATCHED_POLL_SECONDS,
) -> T:
    """Reads until `is_over`. `read` may wait on its own for up to `poll_seconds`; the rest of them is slept."""
    retries = 0 if transport.max_retries == 0 else max(transport.max_retries, MAX_RETRIES_OF_A_READING)
    deadline = None if timeout is None else time.monotonic() + timeout
    interval = min(FIRST_POLL_SECONDS, poll_seconds)
    while True:
        started = time.monotonic()
        reading = read({"max_retries": retries})
        if on_progress is not None:
            on_progress(reading)
        if is_over(reading):
            return reading
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            raise RowmillTimeoutError(f"{what} did not end within {timeout} seconds")
        rest = interval - (now - started)
        if deadline is not None:
            rest = min(rest, deadline - now)
        if rest > 0:
            transport.sleep(rest)
        interval = min(interval * 2, poll_seconds)
