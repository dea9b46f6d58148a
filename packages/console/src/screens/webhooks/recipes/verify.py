import base64
import hashlib
import hmac
import time


def is_genuine(headers, body, secret):
    """headers: names in lower case. body: the bytes as they came. secret: whsec_..."""
    event_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    # Five minutes: an old delivery that somebody has recorded is refused.
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Two signatures while a secret is being rotated: one that matches is enough.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, entry.encode()) for entry in given)
