"""The rows, as one file with a hash of its content: a file that is there, or rows that are written into a temporary one."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .values import Integers, json_line, kind_module, line_with_texts

#: Read or written at a time.
READ_BYTES = 1024 * 1024
#: Rows of a DataFrame that are made into values of Python at a time.
FRAME_ROWS = 10_000
#: What rows are called that come from no file: the service reads the format from it.
ROWS_NAME = "rows.jsonl"


class Input(NamedTuple):
    path: Path
    name: str
    sha256: str
    size: int
    #: The rows as they were given; None where they can be read only once, or are in a file.
    rows: Optional[Sequence[Mapping[str, Any]]]
    #: The DataFrame that was given.
    frame: Any
    #: Removes a temporary file.
    close: Callable[[], None]
    #: Whether the file is another one, or has other content, than when it was hashed.
    has_changed: Callable[[], bool] = lambda: False


def open_input(rows: Any, name: Optional[str]) -> Input:
    if isinstance(rows, (str, os.PathLike)):
        return _file(Path(rows), name)
    if is_frame(rows):
        return _spooled(frame_rows(rows), name, None, rows)
    if kind_module(rows) == "pandas":
        raise TypeError(f"a {type(rows).__name__} has no columns: pass a DataFrame, such as series.to_frame()")
    if hasattr(rows, "to_dicts"):  # a DataFrame of Polars
        return open_input(rows.to_dicts(), name)
    if isinstance(rows, Mapping):
        raise TypeError("rows are a list of mappings, one for each row, not one mapping")
    if isinstance(rows, Sequence):
        return _spooled(rows, name, rows, None)
    if isinstance(rows, Iterable):
        return _spooled(rows, name, None, None)
    raise TypeError(f"rows are a path, a DataFrame or an iterable of mappings, not a {type(rows).__name__}")


def is_frame(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("columns", "iloc", "itertuples"))


def frame_columns(frame: Any) -> List[str]:
    """The names of the columns as texts, each once."""
    if frame.columns.nlevels != 1:
        raise ValueError("the columns of the DataFrame have several levels: join them into one text each")
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"the DataFrame has columns of the same name: {', '.join(twice)}")
    return names


def frame_rows(frame: Any) -> Iterator[Dict[str, Any]]:
    """The rows of a DataFrame without its index, a slice in memory at a time."""
    names = frame_columns(frame)
    for start in range(0, len(frame), FRAME_ROWS):
        part = frame.iloc[start : start + FRAME_ROWS]
        columns = [part.iloc[:, at].tolist() for at in range(len(names))]
        for values in zip(*columns):
            yield dict(zip(names, values))


def _file(path: Path, name: Optional[str]) -> Input:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    digest = hashlib.sha256()
    before = _version(path)
    size = 0
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(READ_BYTES), b""):
            digest.update(chunk)
            size += len(chunk)
    if size == 0:
        raise ValueError(f"{path} is empty: name a file with rows")
    # A name may have bytes that are no UTF-8, which no request can have.
    shown = path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return Input(
        path, name or shown, digest.hexdigest(), size, None, None, lambda: None, lambda: _version(path) != before
    )


def _version(path: Path) -> Optional[Tuple[int, ...]]:
    """Every write changes it."""
    try:
        stats = path.stat()
    except OSError:
        return None
    return (stats.st_dev, stats.st_ino, stats.st_size, stats.st_mtime_ns)


def _spooled(
    rows: Iterable[Mapping[str, Any]], name: Optional[str], kept: Optional[Sequence[Mapping[str, Any]]], frame: Any
) -> Input:
    integers = Integers(are_rows_kept=True)
    path, sha256, size = _written(json_line(row, number, integers) for number, row in enumerate(rows))
    if integers.mixed:
        try:
            with path.open("rb") as file:
                typed = _written(line_with_texts(line, integers.mixed) for line in file)
        finally:
            path.unlink()
        path, sha256, size = typed
    if size == 0:
        path.unlink()
        raise ValueError("there are no rows")
    return Input(path, name or ROWS_NAME, sha256, size, kept, frame, lambda: path.unlink())


def _written(lines: Iterable[bytes]) -> Tuple[Path, str, int]:
    """A temporary file, the hash of its content, and its size."""
    digest = hashlib.sha256()
    size = 0
    handle, text = tempfile.mkstemp(prefix="rowmill-", suffix=".jsonl")
    path = Path(text)
    try:
        with os.fdopen(handle, "wb", buffering=READ_BYTES) as file:
            for line in lines:
                digest.update(line)
                size += len(line)
                file.write(line)
    except BaseException:
        path.unlink()
        raise
    return path, digest.hexdigest(), size
