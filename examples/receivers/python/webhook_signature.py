"""Tells genuine deliveries from forged ones. Standard library only, Python 3.9 or later."""

import base64
import hashlib
import hmac
import time

# The clocks of both sides may differ so much, in seconds.
TOLERANCE = 300


def is_genuine(headers, body, secret):
    """headers: a mapping that ignores the case of names. body: the bytes as they came. secret: whsec_..."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Several while a rotation is under way; one that matches is enough.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, entry.encode()) for entry in given)
