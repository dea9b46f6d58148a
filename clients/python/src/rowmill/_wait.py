"""Waits for something that the service works on."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional, TypeVar

from ._errors import RowmillApiError, RowmillTimeoutError
from ._retry import backoff
from ._transport import Transport

T = TypeVar("T")

#: Seconds between two readings where somebody watches.
WATCHED_POLL_SECONDS = 1.0
#: Before the second reading; small things are done by then. The time doubles up to `poll_seconds`.
FIRST_POLL_SECONDS = 0.1
#: A wait of hours outlives a restart of the service: the pauses between so many attempts, of which half is random, come to a minute at
#: least, but for one wait in a hundred.
MAX_RETRIES_OF_A_READING = 24
#: The longest time for which a request waits for an end.
MAX_WAIT_SECONDS = 30
#: What a reading that waits may take beyond its wait.
READING_MARGIN_SECONDS = 15.0


def waiting_call(transport: Transport, wait_seconds: int, request: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call that waits in the service for up to `wait_seconds`; with 0 it does not."""
    if wait_seconds <= 0:
        return {"request": request}
    timeout = max(request.get("timeout") or transport.timeout, wait_seconds + READING_MARGIN_SECONDS)
    return {"request": {**request, "timeout": timeout}, "query": {"waitSeconds": wait_seconds}}


def wait_seconds_of(poll_seconds: float, deadline: Optional[float]) -> int:
    """How long the next request waits in the service; `deadline` is a time of `time.monotonic`."""
    rest = poll_seconds if deadline is None else min(poll_seconds, deadline - time.monotonic())
    return max(0, int(min(rest, MAX_WAIT_SECONDS)))


def waiting_reader(
    get: Callable[..., T], poll_seconds: float, timeout: Optional[float]
) -> Callable[[Dict[str, Any]], T]:
    """
    `get` with a `wait_seconds`; without one where the service is of a version in which this request cannot wait. `timeout` is that of
    the whole wait, in seconds from now.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    can_wait = True

    def read(request: Dict[str, Any]) -> T:
        nonlocal can_wait
        seconds = wait_seconds_of(poll_seconds, deadline) if can_wait else 0
        try:
            return get(wait_seconds=seconds, **request)
        except RowmillApiError as error:
            if seconds == 0 or error.status != 400 or error.param != "waitSeconds":
                raise
        can_wait = False
        return get(**request)

    return read


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
    most_retries = 0 if transport.max_retries == 0 else max(transport.max_retries, MAX_RETRIES_OF_A_READING)
    deadline = None if timeout is None else time.monotonic() + timeout
    interval = min(FIRST_POLL_SECONDS, poll_seconds)
    while True:
        started = time.monotonic()
        retries = most_retries if deadline is None else min(most_retries, _retries_within(deadline - started))
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


def _retries_within(seconds: float) -> int:
    """So many, however long the pauses before them turn out to be."""
    retries = 0
    while retries < MAX_RETRIES_OF_A_READING and (seconds := seconds - backoff(retries, 1.0)) >= 0:
        retries += 1
    return retries
