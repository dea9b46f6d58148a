"""Results as columns of pandas. Nothing here is imported without a DataFrame, or a wish for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set

from .inputs import frame_columns
from .tables import STATE_COLUMNS, fields_of, input_name, output_name

if TYPE_CHECKING:
    import pandas

#: Where a DataFrame carries the id of its run.
RUN_ID_ATTRIBUTE = "rowmill_run_id"
#: Of the types of a dataset's columns.
_DATES = {"date": "date", "timestamp": "date-time"}
_INT64 = range(-(2**63), 2**63)


def frame_with_results(
    frame: "pandas.DataFrame", results: Iterable[Mapping[str, Any]], schema: Any, run_id: str
) -> "pandas.DataFrame":
    """The rows of the run with their index and types, and the output beside them: what the schema names, whatever rows have it."""
    names = frame_columns(frame)
    taken = {input_name(name).lower() for name in names} | set(STATE_COLUMNS)
    positions: List[int] = []
    formats = _output_formats(schema, taken)
    columns: Dict[str, List[Any]] = {name: [] for name in formats}
    states: Dict[str, List[Any]] = {name: [] for name in STATE_COLUMNS}
    for result in results:
        for name, value in fields_of(result).items():
            values = columns.setdefault(output_name(name, taken), [])
            values.extend([None] * (len(positions) - len(values)))
            values.append(value)
        positions.append(result["index"])
        states["row_state"].append(result["resultState"])
        states["failure_code"].append((result.get("failure") or {}).get("code"))
    made = frame.iloc[positions].copy()
    made.columns = [input_name(name) if isinstance(name, str) else name for name in frame.columns]
    for name, values in columns.items():
        values.extend([None] * (len(positions) - len(values)))
        made[name] = typed_column(values, formats.get(name))
    for name, values in states.items():
        made[name] = _objects(values)
    made.attrs = {**made.attrs, RUN_ID_ATTRIBUTE: run_id}
    return made


def frame_of_rows(
    rows: Iterable[Mapping[str, Any]], schema: Any, inputs: Sequence[Mapping[str, Any]], run_id: str
) -> "pandas.DataFrame":
    """A table that comes from the service. `inputs` are the columns of the dataset."""
    import pandas

    names = [input_name(column["name"]) for column in inputs]
    outputs = _output_formats(schema, {name.lower() for name in names} | set(STATE_COLUMNS))
    formats = {**dict(zip(names, (_DATES.get(column["type"]) for column in inputs))), **outputs}
    columns: Dict[str, List[Any]] = {name: [] for name in formats}
    count = 0
    for row in rows:
        for name, value in row.items():
            values = columns.setdefault(name, [])
            values.extend([None] * (count - len(values)))
            values.append(value)
        count += 1
    for name in STATE_COLUMNS:
        columns[name] = columns.pop(name, [])
    for values in columns.values():
        values.extend([None] * (count - len(values)))
    made = pandas.DataFrame(
        {name: typed_column(values, formats.get(name)) for name, values in columns.items()}, index=range(count)
    )
    made.attrs[RUN_ID_ATTRIBUTE] = run_id
    return made


def typed_column(values: Sequence[Any], format: Optional[str]) -> Any:
    """An array of the narrowest type that keeps every value as it is, and knows what is missing."""
    import pandas

    present = [value for value in values if value is not None]
    has_missing = len(present) < len(values)
    kinds = {type(value) for value in present}
    if format in ("date", "date-time") and kinds == {str}:
        try:
            return pandas.to_datetime(pandas.Series(list(values), dtype=object), utc=format == "date-time").array
        except (ValueError, TypeError, OverflowError):
            # A model wrote something else into the field: it stays what it is.
            return _objects(values)
    if kinds == {bool}:
        return pandas.array(list(values), dtype="boolean" if has_missing else "bool")
    if kinds == {int} and all(value in _INT64 for value in present):
        return pandas.array(list(values), dtype="Int64" if has_missing else "int64")
    if kinds and kinds <= {int, float}:
        return pandas.array([float("nan") if value is None else float(value) for value in values], dtype="float64")
    return _objects(values)


def _objects(values: Sequence[Any]) -> Any:
    import pandas

    # Lists and mappings are values, not further dimensions.
    return pandas.Series(list(values), dtype=object).array


def _format_of(schema: Any, name: str) -> Optional[str]:
    member = ((schema or {}).get("properties") or {}).get(name) if isinstance(schema, Mapping) else None
    format = member.get("format") if isinstance(member, Mapping) else None
    return format if isinstance(format, str) else None


def _output_formats(schema: Any, taken: Set[str]) -> Dict[str, Optional[str]]:
    """By the column of the table, in the order of the schema."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return {output_name(name, taken): _format_of(schema, name) for name in properties or {}}
