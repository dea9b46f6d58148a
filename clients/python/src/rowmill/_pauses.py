"""
Sends what a source gives that may pause, as one does that asks a database for the next rows. The source stays in the thread of the
caller: a cursor of SQLite may be used in no other one. The network has a thread of its own, which goes on while the source is waited for.
"""

from __future__ import annotations

import queue
import threading
from typing import Callable, Generic, Iterable, Iterator, List, Optional, TypeVar, Union

T = TypeVar("T")

#: Below the 40 seconds after which the service closes a connection that sends nothing, and below the limits of most proxies.
KEEP_ALIVE = 15.0
#: How often a source that has a chunk looks whether anybody still takes it.
LOOK_SECONDS = 0.5


class _Given(Generic[T]):
    """What the other thread has made of a call."""

    def __init__(self) -> None:
        self.results: List[T] = []
        self.error: Optional[BaseException] = None

    def take(self) -> T:
        if self.error is not None:
            raise self.error
        return self.results[0]


class SourceFailed(Exception):
    """Ends the request of a source that has failed; its own error is raised in its own thread."""


def send_with_pauses(chunks: Iterator[bytes], filler: bytes, send: Callable[[Iterable[bytes]], T]) -> T:
    """`send` gets the chunks, and `filler` whenever none has come for a while. It is called once there is a first one."""
    first = next(chunks, b"")
    handed: "queue.Queue[Union[bytes, SourceFailed, None]]" = queue.Queue(maxsize=1)
    given: _Given[T] = _Given()

    def body() -> Iterator[bytes]:
        chunk: Union[bytes, SourceFailed, None] = first
        while chunk is not None:
            if isinstance(chunk, SourceFailed):
                raise chunk
            if chunk:  # an empty one would end a chunked body
                yield chunk
            try:
                chunk = handed.get(timeout=KEEP_ALIVE)
            except queue.Empty:
                chunk = filler

    def run() -> None:
        try:
            given.results.append(send(body()))
        except BaseException as error:
            given.error = error

    thread = threading.Thread(target=run, name="rowmill-upload", daemon=True)
    thread.start()

    def hand_over(chunk: Union[bytes, SourceFailed, None]) -> bool:
        while thread.is_alive():
            try:
                handed.put(chunk, timeout=LOOK_SECONDS)
                return True
            except queue.Full:
                pass
        return False

    try:
        for chunk in chunks:
            # A service that refuses content responds before it has read all of it.
            if not hand_over(chunk):
                break
    except BaseException:
        hand_over(SourceFailed())
        thread.join()
        raise
    hand_over(None)
    thread.join()
    return given.take()
