"""The body of a request as JSON. Values that it cannot carry are refused by their place."""

from __future__ import annotations

import datetime
import json
from typing import Any, Mapping, Tuple

from ._map.values import MAX_DEPTH, Integers, ValueWithoutJson, long_columns, member_name, row_values, to_json

Path = Tuple[str, ...]

#: Where operations take rows: the test of a job spec, and an inline upload.
ROWS = (("rows",), ("source", "rows"))


def json_body(body: Any) -> bytes:
    text = json.dumps(_member(body, ()), ensure_ascii=False, allow_nan=False)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the body has a text that is not Unicode: a half of a surrogate pair") from None


def moment_text(value: datetime.datetime) -> str:
    """As the API writes moments. One without a zone is in that of this machine, as everywhere in Python."""
    moment = value.astimezone(datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _member(value: Any, path: Path) -> Any:
    if len(path) > MAX_DEPTH:
        raise ValueError(f"{_place(path)}: it is nested deeper than {MAX_DEPTH} levels")
    if path in ROWS and isinstance(value, (list, tuple)):
        integers = Integers(long_columns(value))
        return [row_values(row, number, integers) for number, row in enumerate(value)]
    if isinstance(value, Mapping):
        return {_member_name(name, path): _member(member, (*path, str(name))) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_member(item, (*path, str(number))) for number, item in enumerate(value)]
    # Not as in a row: `maximum` of a schema may be large, and is a number.
    if value is None or type(value) in (str, bool, int):
        return value
    try:
        if isinstance(value, datetime.datetime) and value == value:
            return moment_text(value)
        made = to_json(value)
    except ValueWithoutJson as error:
        raise ValueError(f"{_place(path)}: {error}") from None
    if made is None:
        raise ValueError(f"{_place(path)}: a missing value has no JSON form here: leave it out, or send None")
    return made


def _member_name(name: Any, path: Path) -> str:
    try:
        return member_name(name)
    except ValueWithoutJson as error:
        raise ValueError(f"{_place(path)}: {error}") from None


def _place(path: Path) -> str:
    return f"/{'/'.join(path)}"
