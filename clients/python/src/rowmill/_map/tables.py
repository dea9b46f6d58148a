"""The columns of a flat table: input, output, `row_state`, `failure_code`; an output of the name of an input gets a prefix."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Set

STATE_COLUMNS = ("row_state", "failure_code")


def input_name(name: str) -> str:
    return f"input_{name}" if name in STATE_COLUMNS else name


def output_name(name: str, taken: Set[str]) -> str:
    return f"output_{name}" if name.lower() in taken else name


def fields_of(result: Mapping[str, Any]) -> Dict[str, Any]:
    if "output" not in result:
        return {}
    data = result["output"]["data"]
    return data if isinstance(data, dict) else {"output": data}


def flat_row(given: Mapping[str, Any], result: Mapping[str, Any]) -> Dict[str, Any]:
    row = {input_name(str(name)): value for name, value in given.items()}
    taken = {name.lower() for name in row} | set(STATE_COLUMNS)
    for name, value in fields_of(result).items():
        row[output_name(name, taken)] = value
    row["row_state"] = result["resultState"]
    row["failure_code"] = (result.get("failure") or {}).get("code")
    return row
