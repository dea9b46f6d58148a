"""
What makes two calls the same: the content of the rows, what happens to a row, and which rows. Keys are made of these hashes, in the
same way as `rowmill map` of the command line makes them, so that both find the dataset, job spec and run of the other.
"""

from __future__ import annotations

import hashlib
import json
import re
from decimal import Decimal
from typing import Any, Mapping

#: 128 bits: no two things of one organization ever meet.
KEY_CHARACTERS = 32


def key_of(purpose: str, *parts: Any) -> str:
    digest = hashlib.sha256(canonical([purpose, *parts]).encode("utf-8")).hexdigest()
    return f"rowmill-map-{purpose}-{digest[:KEY_CHARACTERS]}"


def canonical(value: Any) -> str:
    """JSON with members in order, as JavaScript writes it: the same value has one text. Members that are None are null."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, Mapping):
        # JavaScript compares texts by UTF-16 code units.
        members = sorted(value.items(), key=lambda item: str(item[0]).encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(str(name))}:{canonical(member)}" for name, member in members) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


def number_text(number: float) -> str:
    """A number as JavaScript prints it (ECMA-262, Number::toString)."""
    if isinstance(number, int) and abs(number) < 2**53:
        return str(number)
    number = float(number)
    if number != number or number in (float("inf"), float("-inf")):
        raise ValueError("a number must be finite")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    _, all_digits, exponent = Decimal(repr(abs(number))).as_tuple()
    digits = "".join(str(digit) for digit in all_digits)
    point = len(digits) + int(exponent)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
