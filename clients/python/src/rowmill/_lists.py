"""Lists of the API: one page, all items of all pages, or one stream."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List as PyList, Mapping, Optional, TypeVar

from ._errors import RowmillApiError, RowmillError
from ._http import Response
from ._streams import parse_ndjson
from ._transport import Transport

T = TypeVar("T")

#: Items of a request when all pages are read and no `limit` is given: fewer round trips than with the 50 of the service.
WALKING_LIMIT = 200


class Page(Generic[T]):
    def __init__(self, data: PyList[T], next_cursor: Optional[str], following: Callable[[str], "Page[T]"]) -> None:
        self.data = data
        #: Where the next page begins; None at the end.
        self.next_cursor = next_cursor
        self._following = following

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def has_next_page(self) -> bool:
        return self.next_cursor is not None

    def next_page(self) -> "Page[T]":
        if self.next_cursor is None:
            raise RowmillError("there is no next page: check has_next_page first")
        return self._following(self.next_cursor)


class List(Generic[T]):
    """A list that has not been requested yet. Iterate over it for every item of every page; `page()` requests one page."""

    def __init__(
        self,
        transport: Transport,
        operation: str,
        request: Mapping[str, Any],
        path: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self._transport = transport
        self._operation = operation
        self._request = dict(request)
        self._path = path
        self._query: Dict[str, Any] = dict(query or {})

    def page(self) -> Page[T]:
        return self._fetch({})

    def pages(self) -> Iterator[Page[T]]:
        page = self._fetch({"limit": WALKING_LIMIT})
        while True:
            yield page
            if not page.has_next_page:
                return
            following = page.next_page()
            # Otherwise a service or cache that repeats itself is read for ever.
            if following.next_cursor is not None and following.next_cursor == page.next_cursor:
                raise RowmillError("the list gave the same cursor twice")
            page = following

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def first(self) -> Optional[T]:
        """The first item; None where there is none."""
        page = self._fetch({})
        while not page.data and page.has_next_page:
            page = page.next_page()
        return page.data[0] if page.data else None

    def _fetch(self, defaults: Mapping[str, Any], cursor: Optional[str] = None) -> Page[T]:
        query = {**defaults, **self._query, **({} if cursor is None else {"cursor": cursor})}
        found = self._transport.call(self._operation, self._request, path=self._path, query=query)
        # A list responds with this envelope, by the contract; another service at this address may respond with anything.
        if not isinstance(found, dict) or not isinstance(found.get("data"), list):
            raise RowmillApiError(200, {}, {}, "the response of the service is not a list")
        return Page(found["data"], found.get("nextCursor"), lambda following: self._fetch(defaults, following))


class RowList(List[T]):
    """A list of rows, which also comes as one stream: the way to read millions of rows."""

    def stream(self) -> Iterator[T]:
        """
        Every item in one request, one line in memory at a time. A stream that breaks off raises and cannot be resumed: the pages
        can.
        """
        response: Response = self._transport.send(
            self._operation,
            self._request,
            lambda opened: opened,
            path=self._path,
            query=self._query,
            accept="application/x-ndjson",
            is_stream=True,
        )
        with response:
            yield from parse_ndjson(response.chunks())
