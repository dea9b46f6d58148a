"""
Verifies webhooks of the service.

A delivery is signed twice over the same bytes: in headers of the service (`Service-Webhook-Signature`, the prefix is a setting of the
service) and in those of https://www.standardwebhooks.com (`webhook-signature`). One valid signature is enough.

    event = verify_webhook(payload=request.get_data(), headers=request.headers, secret=signing_secret)
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import RowmillError

#: The longest difference between the clocks of both sides and the delay on the way, together.
DEFAULT_TOLERANCE_SECONDS = 300
#: A rotation makes two; more would only make us compute.
MAX_SIGNATURES = 16

_SECRET = re.compile(r"whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_OWN = re.compile(r"\s*v1=([0-9a-f]{64})\s*")
_STANDARD = re.compile(r"v1,([A-Za-z0-9+/]{43}=)")

#: Of a framework, the `environ` of WSGI, or the list of pairs of ASGI.
Headers = Union[Mapping[str, Any], Iterable[Tuple[Union[str, bytes], Union[str, bytes]]]]


class WebhookVerificationError(RowmillError):
    """
    The delivery is not genuine. `reason` is one of `invalid_secret`, `invalid_payload`, `missing_headers`, `malformed_headers`,
    `signature_mismatch`, `timestamp_too_old` and `timestamp_in_future`.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class _Candidate(NamedTuple):
    """One set of signature headers."""

    seconds: str
    #: What stands before the payload in the signed bytes.
    head: bytes
    signatures: Sequence[bytes]
    is_standard: bool


def verify_webhook(
    payload: Union[bytes, str],
    headers: Headers,
    secret: Optional[str] = None,
    secrets: Optional[Sequence[str]] = None,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
    header_prefix: str = "Service",
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """
    The event of a genuine delivery; raises a WebhookVerificationError for every other one. `payload` is the body exactly as it was
    received, `secret` the `signingSecret` of the endpoint, `secrets` all that are valid while a rotation is under way.
    """
    keys = _checked_secrets(secrets if secrets is not None else [] if secret is None else [secret])
    body = _payload_bytes(payload)
    for candidate in _candidates(_by_name(headers), header_prefix):
        if not _is_signed(candidate, keys, body):
            continue
        _check_timestamp(candidate.seconds, time.time() if now is None else now, tolerance_seconds)
        return _event(body)
    raise WebhookVerificationError(
        "signature_mismatch",
        "No signature matches. Check that the secret belongs to this endpoint and that the payload is the unmodified body: "
        "parsing and printing JSON again changes its bytes.",
    )


def _candidates(headers: Mapping[str, str], header_prefix: str) -> List[_Candidate]:
    """The sets that can be checked; a broken or missing one does no harm while the other is whole."""
    found: List[_Candidate] = []
    problems: List[WebhookVerificationError] = []
    for read in (_read_own, _read_standard):
        try:
            found.append(read(headers, header_prefix))
        except WebhookVerificationError as error:
            problems.append(error)
    if not found:
        raise problems[0]
    return found


def _read_own(headers: Mapping[str, str], header_prefix: str) -> _Candidate:
    prefix = f"{header_prefix}-Webhook"
    matches = [_OWN.fullmatch(part) for part in _required(headers, f"{prefix}-Signature").split(",")]
    signatures = [bytes.fromhex(match[1]) for match in matches if match is not None]
    seconds = _timestamp(headers, f"{prefix}-Timestamp")
    return _Candidate(seconds, f"{seconds}.".encode(), _some(signatures), False)


def _read_standard(headers: Mapping[str, str], _: str) -> _Candidate:
    parts = re.split(r" +|,(?=v1,)", _required(headers, "webhook-signature"))
    matches = [_STANDARD.fullmatch(part) for part in parts]
    signatures = [base64.b64decode(match[1]) for match in matches if match is not None]
    seconds = _timestamp(headers, "webhook-timestamp")
    head = f"{_required(headers, 'webhook-id')}.{seconds}."
    return _Candidate(seconds, head.encode("utf-8"), _some(signatures), True)


def _some(signatures: List[bytes]) -> List[bytes]:
    if signatures:
        return signatures
    raise WebhookVerificationError("malformed_headers", "The signature header carries no signature of version v1.")


def _is_signed(candidate: _Candidate, secrets: Sequence[str], body: bytes) -> bool:
    is_match = False
    for secret in secrets:
        key = base64.b64decode(secret[len("whsec_") :]) if candidate.is_standard else secret.encode("ascii")
        expected = hmac.new(key, candidate.head + body, hashlib.sha256).digest()
        for given in candidate.signatures[:MAX_SIGNATURES]:
            # All are compared, each in constant time.
            is_match = hmac.compare_digest(expected, given) or is_match
    return is_match


def _check_timestamp(seconds: str, now: float, tolerance: float) -> None:
    age = int(now) - int(seconds)
    # Written so that a tolerance that is not a number refuses, too.
    if not age <= tolerance:
        raise WebhookVerificationError(
            "timestamp_too_old",
            f"The delivery was signed {age} seconds ago, more than {tolerance}. It may be a replay; else check the clock.",
        )
    if not -age <= tolerance:
        raise WebhookVerificationError(
            "timestamp_in_future",
            f"The delivery was signed {-age} seconds in the future, more than {tolerance}. Check the clock.",
        )


def _event(body: bytes) -> Dict[str, Any]:
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if (
        isinstance(event, dict)
        and isinstance(event.get("id"), str)
        and isinstance(event.get("type"), str)
        and isinstance(event.get("data"), dict)
    ):
        return event
    raise WebhookVerificationError(
        "invalid_payload", "The payload is signed, but it is not an event of the service."
    )


def _checked_secrets(secrets: Sequence[str]) -> Sequence[str]:
    if isinstance(secrets, (list, tuple)) and secrets and all(_is_secret(secret) for secret in secrets):
        return secrets
    raise WebhookVerificationError(
        "invalid_secret",
        "Pass the signingSecret of the endpoint as it was shown: whsec_ and base64, without quotes, spaces or line ends.",
    )


def _is_secret(secret: Any) -> bool:
    try:
        return isinstance(secret, str) and _SECRET.fullmatch(secret) is not None and base64.b64decode(secret[6:]) != b""
    except binascii.Error:
        return False


def _payload_bytes(payload: Any) -> bytes:
    if isinstance(payload, str):
        return payload.encode("utf-8")
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise WebhookVerificationError(
        "invalid_payload",
        "Pass the raw body as bytes or a string, not the parsed object: the signature covers the bytes as they came.",
    )


def _by_name(headers: Headers) -> Dict[str, str]:
    """Values by names in lower case; those of a repeated header are joined as HTTP joins them."""
    found: Dict[str, str] = {}
    # Mappings of web frameworks give every value of a repeated header by items() or only the first one.
    pairs = headers.items() if hasattr(headers, "items") else headers
    for name, value in pairs:
        key = _header_name(_text(name))
        # The environment of WSGI has more than headers.
        if isinstance(value, (list, tuple)) and all(isinstance(item, (str, bytes)) for item in value):
            text = ",".join(_text(item) for item in value)
        elif isinstance(value, (str, bytes, int)):
            text = _text(value)
        else:
            continue
        found[key] = f"{found[key]},{text}" if key in found else text
    return found


def _text(value: Union[str, bytes, int]) -> str:
    """ASGI gives names and values as bytes."""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _header_name(name: str) -> str:
    """In lower case. WSGI names `webhook-id` `HTTP_WEBHOOK_ID`."""
    return name[len("HTTP_") :].replace("_", "-").lower() if name.startswith("HTTP_") else name.lower()


def _timestamp(headers: Mapping[str, str], name: str) -> str:
    text = _required(headers, name)
    if re.fullmatch(r"[0-9]{1,12}", text) is None:
        raise WebhookVerificationError("malformed_headers", f"The header {name} is not a Unix time in seconds.")
    return text


def _required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name.lower())
    if value:
        return value
    raise WebhookVerificationError(
        "missing_headers",
        f"The header {name} is missing. Check that the request is a delivery, that a proxy passes its headers on, and "
        "header_prefix.",
    )
