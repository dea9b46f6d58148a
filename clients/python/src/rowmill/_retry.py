"""When a request is sent again, and after which time. The transport does the sending and the waiting."""

from __future__ import annotations

import email.utils
import re
from typing import Optional

from ._errors import RowmillApiError, RowmillConnectionError, RowmillTimeoutError

#: Before the first repetition, at most, in seconds.
INITIAL_DELAY = 0.5
#: The longest wait between two attempts unless the service asks for more; a service that restarts is back by then.
MAX_DELAY = 8.0
#: A longer `Retry-After` is the decision of the caller: the error is raised at once.
MAX_RETRY_AFTER = 120.0

#: Doing it twice is as good as once: reads, PUT, DELETE, and POST with its idempotency key.
ALWAYS = "always"
#: Only where it was not done, since the service responds so or nothing listens at its address: PATCH.
IF_REFUSED = "if_refused"
#: Its body can be read only once.
NEVER = "never"


def is_worth_repeating(error: BaseException, repeatable: str) -> bool:
    if repeatable == NEVER:
        return False
    if isinstance(error, RowmillApiError) and error.status in (429, 503):
        return True
    if repeatable == IF_REFUSED:
        return isinstance(error, RowmillConnectionError) and error.is_unsent
    return is_ambiguous(error) or (isinstance(error, RowmillApiError) and error.code == "idempotency_in_progress")


def is_ambiguous(error: BaseException) -> bool:
    """Whether the service may have done what it was asked although there is no good response."""
    if isinstance(error, (RowmillConnectionError, RowmillTimeoutError)):
        return True
    return isinstance(error, RowmillApiError) and error.status in (408, 500, 502, 503, 504)


def backoff(attempt: int, random: float) -> float:
    """Exponential, of which half is random: with all of it, an outage of seconds could outlast all attempts. `attempt` counts from 0."""
    return (1 + random) / 2 * _longest_delay(attempt)


def _longest_delay(attempt: int) -> float:
    return min(MAX_DELAY, INITIAL_DELAY * 2.0**attempt)


def retry_delay(attempt: int, retry_after: Optional[float], random: float) -> Optional[float]:
    """The backoff, or what `Retry-After` says; None where that is too long to wait for."""
    if retry_after is None:
        return backoff(attempt, random)
    # All calls that were refused get the same moment: they are spread, and further after each refusal.
    return None if retry_after > MAX_RETRY_AFTER else retry_after + random * _longest_delay(attempt)


def parse_retry_after(value: Optional[str], now: float) -> Optional[float]:
    """`Retry-After` (RFC 9110, 10.2.3) in seconds: a number or a date. None where it is absent or neither."""
    if value is None:
        return None
    if re.fullmatch(r"\d+", value.strip()):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError):
        return None
