"""What is sent as the content of an upload: a size if known, and chunks that can perhaps be read again."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import IO, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from ._kept import KeptSource
from ._pauses import KEEP_ALIVE

#: Given to the network at a time: enough to keep it busy, little enough to see progress.
CHUNK_BYTES = 256 * 1024
#: The eye follows no more.
PROGRESS_INTERVAL = 0.1

Content = Union[bytes, str, IO[bytes], Iterable[bytes]]


class ContentFailure(Exception):
    """The source of the content failed, in contrast to the network that carries it."""

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(str(cause))


class Source(NamedTuple):
    size: Optional[int]
    filename: Optional[str]
    #: Whether `open` may be called again after a failed attempt, always; what is read once may be as long as it `is_kept`.
    is_replayable: bool
    #: From a byte on; only from 0 where the size is not known.
    open: Callable[[int], Iterator[bytes]]
    #: What may be sent between two chunks without a change of the content, where the next one may take long.
    filler: bytes = b""
    is_kept: Callable[[], bool] = lambda: False


class SendProgress(NamedTuple):
    bytes_sent: int
    #: None where the size is not known beforehand.
    bytes_total: Optional[int]


OnSent = Callable[[SendProgress], None]


class Sending(NamedTuple):
    """The content of one request, opened again for every attempt."""

    #: Whether it can be opened again now.
    is_replayable: Callable[[], bool]
    open: Callable[[], Iterator[bytes]]
    filler: bytes = b""


def sending(source: Source, offset: int = 0, on_progress: Optional[OnSent] = None) -> Sending:
    def chunks() -> Iterator[bytes]:
        sent = offset
        reported = 0.0
        opened = source.open(offset)
        while True:
            try:
                chunk = next(opened, None)
            except Exception as error:
                raise ContentFailure(error) from error
            if chunk is None:
                break
            yield chunk
            sent += len(chunk)
            now = time.monotonic()
            if on_progress is not None and now - reported >= PROGRESS_INTERVAL:
                reported = now
                on_progress(SendProgress(sent, source.size))
        if on_progress is not None:
            on_progress(SendProgress(sent, source.size))

    return Sending(lambda: may_be_repeated(source), chunks, source.filler)


def file_source(path: Union[str, "os.PathLike[str]"]) -> Source:
    file = Path(path)

    def open_at(offset: int) -> Iterator[bytes]:
        with file.open("rb") as stream:
            stream.seek(offset)
            yield from _read(stream)

    return Source(file.stat().st_size, file.name, True, open_at)


def content_source(content: Content) -> Source:
    if isinstance(content, str):
        content = content.encode("utf-8")
    if isinstance(content, (bytes, bytearray, memoryview)):
        data = bytes(content)
        return Source(len(data), None, True, lambda offset: _slices(memoryview(data)[offset:]))
    if isinstance(content, io.IOBase) or hasattr(content, "read"):
        stream: Any = content
        name = getattr(stream, "name", None)
        return _read_once(lambda: _read(stream), filename=os.path.basename(name) if isinstance(name, str) else None)
    chunks = content
    return _read_once(lambda: _checked(chunks))


def rows_source(rows: Iterable[Mapping[str, Any]]) -> Source:
    """Rows as JSON lines, never all at once. A list can be read again."""
    if isinstance(rows, Sequence):
        return Source(None, None, True, lambda offset: _json_lines(rows))
    # Spaces before a line mean nothing.
    return _read_once(lambda: _json_lines(rows), filler=b" ")


def _read_once(read: Callable[[], Iterator[bytes]], filename: Optional[str] = None, filler: bytes = b"") -> Source:
    kept = KeptSource(read)
    return Source(None, filename, False, kept.open, filler, lambda: kept.is_kept)


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    # pandas, dates and numbers without JSON are known there.
    from ._map.values import Integers, json_line, long_columns

    integers = Integers(long_columns(rows) if isinstance(rows, Sequence) else ())
    buffer = bytearray()
    sent_at = time.monotonic()
    for number, row in enumerate(rows):
        buffer += json_line(row, number, integers)
        if len(buffer) >= CHUNK_BYTES or time.monotonic() - sent_at >= KEEP_ALIVE:
            yield bytes(buffer)
            buffer.clear()
            sent_at = time.monotonic()
    if buffer:
        yield bytes(buffer)


def _slices(data: Any) -> Iterator[bytes]:
    for at in range(0, len(data), CHUNK_BYTES):
        yield bytes(data[at : at + CHUNK_BYTES])


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    while True:
        chunk = stream.read(CHUNK_BYTES)
        if isinstance(chunk, str):
            raise TypeError('content must be bytes: open the file with "rb"')
        if not chunk:
            return
        yield chunk


def _checked(chunks: Iterable[Any]) -> Iterator[bytes]:
    for chunk in chunks:
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            raise TypeError("content must yield bytes: encode text first")
        if len(chunk) > 0:  # an empty chunk would end a chunked body
            yield bytes(chunk)


def may_be_repeated(source: Source) -> bool:
    """Whether what was sent of it can be sent again."""
    return source.is_replayable or source.is_kept()
