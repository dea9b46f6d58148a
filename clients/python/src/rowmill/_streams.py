"""Newline-delimited JSON and server-sent events. What comes of a connection that broke off is an error, never just an end."""

from __future__ import annotations

import codecs
import json
from typing import Any, Callable, Iterable, Iterator, List, NamedTuple, Optional

from ._errors import RowmillConnectionError

#: A row is at most a few megabytes, its output not much more; without a limit a broken proxy fills the memory.
MAX_LINE_BYTES = 128 * 1024 * 1024
#: A message that has no end yet.
MAX_MESSAGE_CHARACTERS = 16 * 1024 * 1024


def parse_ndjson(chunks: Iterable[bytes]) -> Iterator[Any]:
    """One line in memory at a time."""
    # Joined once: adding to a long line over and over costs its square.
    pieces: List[bytes] = []
    length = 0
    for chunk in chunks:
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            whole = b"".join(pieces) + line if pieces else line
            pieces, length = [], 0
            if whole.strip():
                yield _parse_line(whole)
        if rest:
            pieces.append(rest)
            length += len(rest)
            if length > MAX_LINE_BYTES:
                raise RowmillConnectionError("a line of the stream is too long")
    last = b"".join(pieces)
    if last.strip():
        yield _parse_line(last)


def _parse_line(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        # A part of an object is never JSON, so a stream that was cut within a line ends here.
        raise RowmillConnectionError("the stream broke off within a line, or is not JSON lines") from error


class ServerSentEvent(NamedTuple):
    #: None for messages after which a stream cannot be resumed.
    id: Optional[str]
    event: str
    data: Any


def parse_server_sent_events(
    chunks: Iterable[bytes], on_id: Callable[[str], None] = lambda _: None
) -> Iterator[ServerSentEvent]:
    """`on_id` gets every id, those of messages without data included: a stream is resumed after the last one."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = ""
    for chunk in chunks:
        text += decoder.decode(chunk)
        *messages, text = text.split("\n\n")
        if len(text) > MAX_MESSAGE_CHARACTERS:
            raise RowmillConnectionError("a message of the stream is too long")
        for message in messages:
            found = _parse_message(message)
            if found.data is not None:
                yield ServerSentEvent(found.id, found.event, _parse_data(found.data))
            # After the message was taken: a reader that leaves the loop with it gets it again.
            if found.id is not None:
                on_id(found.id)
    if text.strip():
        raise RowmillConnectionError("the stream broke off within a message")


def _parse_message(message: str) -> ServerSentEvent:
    """Without data it only keeps the connection open, and may carry an id."""
    id: Optional[str] = None
    event = "message"
    data: List[str] = []
    for line in message.split("\n"):
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "id":
            id = value
        elif field == "event":
            event = value
        elif field == "data":
            data.append(value)
    return ServerSentEvent(id, event, "\n".join(data) if data else None)


def _parse_data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise RowmillConnectionError("a message of the stream is not JSON") from error
