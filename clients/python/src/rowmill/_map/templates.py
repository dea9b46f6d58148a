"""
`{{column}}` is short for `{{row.column}}`, and any name works: `{{Company name}}` becomes `{{row["Company name"]}}`, and `{{city}}`
`{{row[" city"]}}` where a header such as `name, city` has no other column of that name. A name that is not a column is found here, before
anything is paid for.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from typing import Any, List, Mapping, Optional, Sequence, Tuple

_TAG = re.compile(r"(\\?)\{\{\s*(.*?)\s*\}\}", re.DOTALL)
#: Around a name; the same characters as in the command, whose keys are the same.
_SPACES = " \t\u00a0"
_MEMBER = re.compile(r"""row\s*(?:\.\s*([^\s.\[\]|"'{}]+)|\[\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\])""")


class UnknownColumnError(ValueError):
    """A prompt or request names a column that the rows do not have."""


class Templates:
    """Completes the templates of one job spec, and remembers the names that are not columns."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self.unknown: List[str] = []

    def complete(self, text: str) -> str:
        return _TAG.sub(self._tag, text)

    def complete_all(self, value: Any) -> Any:
        """Every text in a JSON value."""
        if isinstance(value, str):
            return self.complete(value)
        if isinstance(value, (list, tuple)):
            return [self.complete_all(item) for item in value]
        if isinstance(value, Mapping):
            return {name: self.complete_all(member) for name, member in value.items()}
        return value

    def require(self, column: str) -> str:
        if column not in self._columns:
            self.unknown.append(column)
        return f"{{{{row{member_of(column)}}}}}"

    def refuse_unknown(self) -> None:
        if not self.unknown:
            return
        names = ", ".join(f'"{name}"' for name in dict.fromkeys(self.unknown))
        near = nearest_to(self.unknown[0], self._columns)
        meant = "" if near is None else f' Did you mean "{near}"?'
        is_one = len(set(self.unknown)) == 1
        raise UnknownColumnError(
            f"There {'is no column' if is_one else 'are no columns'} {names}.{meant} "
            f"The columns are {', '.join(self._columns)}."
        )

    def _tag(self, match: "re.Match[str]") -> str:
        tag, escape, inner = match[0], match[1], match[2]
        if escape:
            return tag
        if "row" not in self._columns:
            explicit = _MEMBER.match(inner)
            if explicit is not None:
                name = explicit[1] or re.sub(r"\\(.)", r"\1", explicit[2] if explicit[2] is not None else explicit[3])
                if name not in self._columns:
                    self.unknown.append(name)
                return tag
            if re.match(r"row\s*(\||$)", inner):
                return tag
        if re.match(r"connection\s*\.", inner) and "connection" not in self._columns:
            return tag
        column = self._column_at_start(inner)
        if column is None:
            self.unknown.append(re.split(r"[.\[|]", inner)[0].strip() or inner)
            return tag
        name, written = column
        return f"{{{{row{member_of(name)}{inner[len(written):]}}}}}"

    def _column_at_start(self, inner: str) -> Optional[Tuple[str, str]]:
        """
        The longest column with which the tag begins, up to a member, a filter or its end, and how the tag has it: by its name, or by that
        without spaces around it.
        """
        exact = _longest_at_start(inner, [(name, name) for name in self._columns])
        if exact:
            return exact[0]
        bare = [(name, name.strip(_SPACES)) for name in self._columns]
        found = _longest_at_start(inner, [(name, written) for name, written in bare if written != ""])
        # Which of two is meant, nobody knows.
        return found[0] if len(found) == 1 else None


def _longest_at_start(inner: str, columns: Sequence[Tuple[str, str]]) -> List[Tuple[str, str]]:
    """Several where they are written in the same way."""
    found = [
        (name, written)
        for name, written in columns
        if inner.startswith(written) and re.match(r"\s*($|[.\[|])", inner[len(written) :])
    ]
    longest = max((len(written) for _, written in found), default=0)
    return [(name, written) for name, written in found if len(written) == longest]


def member_of(column: str) -> str:
    return f".{column}" if _is_member(column) else f"[{json.dumps(column, ensure_ascii=False)}]"


def _is_member(column: str) -> bool:
    if column == "" or not _is_letter(column[0]):
        return False
    return all(_is_letter(one) or one == "-" or unicodedata.category(one).startswith("N") for one in column)


def _is_letter(one: str) -> bool:
    return one in "_$" or unicodedata.category(one).startswith("L")


def nearest_to(name: str, names: Sequence[str]) -> Optional[str]:
    by_case = {other.lower(): other for other in reversed(names)}
    near = difflib.get_close_matches(name.lower(), list(by_case), n=1)
    return by_case[near[0]] if near else None
