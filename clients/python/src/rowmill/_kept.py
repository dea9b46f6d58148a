"""
Content that can be read only once. Its beginning is kept while it is sent, so that an attempt that the service refuses early, or whose
connection breaks early, can be repeated: all of a small upload, and a large one that was refused before much of it was taken.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional

#: What fills the buffers of the network before a refusal can be read, on a usual line.
MAX_KEPT_BYTES = 4 * 1024 * 1024
#: Each chunk takes memory beside its bytes.
MAX_KEPT_CHUNKS = 1_000


class KeptSource:
    def __init__(self, read: Callable[[], Iterator[bytes]]) -> None:
        self._read = read
        self._chunks: Optional[Iterator[bytes]] = None
        self._kept: List[bytes] = []
        self._size = 0
        #: Whether all that was taken of the source is kept, so that `open` may be called again.
        self.is_kept = True

    def open(self, offset: int) -> Iterator[bytes]:
        """From the first byte on."""
        if self._chunks is not None and not self.is_kept:
            raise ValueError("this content can be read only once")
        if self._chunks is None:
            self._chunks = self._read()
        return self._attempt(self._chunks, list(self._kept))

    def _attempt(self, chunks: Iterator[bytes], before: List[bytes]) -> Iterator[bytes]:
        yield from before
        while True:
            try:
                chunk = next(chunks, None)
            except BaseException:
                self._forget()
                raise
            if chunk is None:
                return
            self._keep(chunk)
            yield chunk

    def _keep(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size > MAX_KEPT_BYTES or len(self._kept) >= MAX_KEPT_CHUNKS:
            self._forget()
        elif self.is_kept:
            self._kept.append(chunk)

    def _forget(self) -> None:
        self.is_kept = False
        self._kept = []
