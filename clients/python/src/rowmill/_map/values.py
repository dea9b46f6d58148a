"""Values of Python, NumPy and pandas as JSON, without a loss that nobody sees."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import numbers
import os
import uuid
from typing import Any, Dict, Iterable, Mapping, Set

#: JSON numbers are doubles to most readers: a larger integer stays exact only as a text.
MAX_EXACT_INTEGER = 2**53 - 1
#: Most values: they are looked at one by one, and a look at their abstract classes takes long.
PLAIN_TYPES = frozenset({str, bool, float, type(None), dict, list})
#: A structure that contains itself ends here; the service takes no deeper one, either.
MAX_DEPTH = 64


class ValueWithoutJson(ValueError):
    """A value that cannot be sent."""


class Integers:
    """
    How the integers of each column are sent. One that a number does not keep is a text; then all of its column are, so that the column
    has one type. `texts` are columns with such an integer, where all rows are known beforehand.
    """

    def __init__(self, texts: Iterable[str] = (), are_rows_kept: bool = False) -> None:
        self.texts = set(texts)
        #: By column, the first row with an integer that was sent as a number.
        self._numbers: Dict[str, int] = {}
        #: Whether rows that were sent can still be changed.
        self._are_rows_kept = are_rows_kept

    def typed(self, name: str, sent: Any, number: int) -> Any:
        """`sent` as its column has to have it: an integer, or the text of a long one."""
        if name in self.texts:
            return str(sent)
        if isinstance(sent, int):
            self._numbers.setdefault(name, number)
            return sent
        self.texts.add(name)
        if name in self._numbers and not self._are_rows_kept:
            raise ValueWithoutJson(
                f"an integer beyond 2^53 - 1 is sent as a text, and row {self._numbers[name]} was sent with a number: "
                "convert all integers of the column to texts, or pass a list of rows"
            )
        return sent

    @property
    def mixed(self) -> Set[str]:
        """Columns of which the first integers were sent as numbers, and later ones as texts."""
        return self.texts & self._numbers.keys()


def long_columns(rows: Iterable[Any]) -> Set[str]:
    """Names of the columns that have an integer which a number does not keep."""
    return {
        str(name)
        for row in rows
        if isinstance(row, Mapping)
        for name, value in row.items()
        if _is_integer(value) and not _is_kept(int(value))
    }


def json_line(row: Mapping[str, Any], number: int, integers: Integers) -> bytes:
    """A row as a line of JSON Lines. `number` counts from 0 and names the row in an error."""
    made = row_values(row, number, integers)
    try:
        return _line(made)
    except UnicodeEncodeError:
        raise ValueError(f"row {number} has a text that is not Unicode: a half of a surrogate pair") from None


def line_with_texts(line: bytes, columns: Set[str]) -> bytes:
    """The line of `json_line` with texts in place of the integers of these columns."""
    row: Dict[str, Any] = json.loads(line)
    return _line({name: str(value) if name in columns and type(value) is int else value for name, value in row.items()})


def _line(row: Dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n"


def row_values(row: Mapping[str, Any], number: int, integers: Integers) -> Dict[str, Any]:
    if not isinstance(row, Mapping):
        raise TypeError(f"row {number} is a {type(row).__name__}: a row is a mapping of column names to values")
    made: Dict[str, Any] = {}
    for name, value in row.items():
        try:
            member = member_name(name)
            sent = to_json(value)
            made[member] = integers.typed(member, sent, number) if _is_integer(value) else sent
        except ValueWithoutJson as error:
            raise ValueError(f"row {number}, column {name!r}: {error}") from None
    return made


def to_json(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return value if _is_kept(value) else str(value)
    if kind is float:
        return _finite(value)
    if depth > MAX_DEPTH:
        raise ValueWithoutJson(f"it is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {member_name(name): to_json(member, depth + 1) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item, depth + 1) for item in value]
    return _to_json_special(value, depth)


def _to_json_special(value: Any, depth: int) -> Any:
    if _is_missing(value):
        return None
    if isinstance(value, enum.Enum):
        return to_json(value.value, depth + 1)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else _exact(value)
    if isinstance(value, (uuid.UUID, os.PathLike)):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise ValueWithoutJson("bytes have no JSON form: decode them, or encode them in base64")
    # Subclasses of the plain types, and scalars of NumPy that are also floats.
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return to_json(int(value))
    if isinstance(value, float):
        return _finite(float(value))
    module = kind_module(value)
    if module in ("numpy", "pandas"):
        return _from_array_library(value, depth)
    raise ValueWithoutJson(f"a value of type {type(value).__name__} has no JSON form: convert it first")


def _from_array_library(value: Any, depth: int) -> Any:
    name = type(value).__name__
    if name in ("datetime64", "timedelta64", "Period", "Interval"):
        return str(value)
    if hasattr(value, "tolist"):
        # An array becomes a list, a scalar a value of Python.
        return to_json(value.tolist(), depth + 1)
    raise ValueWithoutJson(f"a value of type {name} has no JSON form: convert it first")


def _is_kept(value: int) -> bool:
    return -MAX_EXACT_INTEGER <= value <= MAX_EXACT_INTEGER


def _is_integer(value: Any) -> bool:
    """Of Python or NumPy; a boolean is none."""
    kind = type(value)
    return kind is int or (kind not in PLAIN_TYPES and isinstance(value, numbers.Integral))


def kind_module(value: Any) -> str:
    return type(value).__module__.split(".")[0]


def _is_missing(value: Any) -> bool:
    """NaN, NaT and NA: they differ from themselves, or do not say."""
    name = type(value).__name__
    if name in ("NAType", "NaTType"):
        return True
    if kind_module(value) == "numpy" and name in ("datetime64", "timedelta64"):
        return bool(value != value)
    return False


def _finite(value: float) -> Any:
    if math.isnan(value):
        return None
    if math.isinf(value):
        raise ValueWithoutJson("infinity has no JSON form: replace it")
    return value


def _exact(value: decimal.Decimal) -> str:
    if not value.is_finite():
        raise ValueWithoutJson("infinity has no JSON form: replace it")
    return format(value, "f")


def _duration(value: datetime.timedelta) -> str:
    """ISO 8601, exact to the microsecond, or to the nanosecond for pandas."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    total = abs(value)
    seconds = f"{total.seconds}.{total.microseconds:06d}".rstrip("0").rstrip(".")
    return f"{'-' if value < datetime.timedelta(0) else ''}P{total.days}DT{seconds}S"


def member_name(name: Any) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, int) and not isinstance(name, bool):
        return str(name)
    raise ValueWithoutJson(f"the name {name!r} is a {type(name).__name__}: names of columns and members are texts")
