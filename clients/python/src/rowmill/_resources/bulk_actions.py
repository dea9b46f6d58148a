"""One action on everything that matches a filter."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, cast

from .. import types as t
from .._lists import List
from .._transport import Transport
from .._wait import WATCHED_POLL_SECONDS, waiting_call, waiting_reader, wait_until


class BulkActions:
    """Cancel, pause, resume, retry or delete many things at once."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def count(self, body: t.CreateBulkActionBody, **request: Any) -> t.BulkActionCount:
        """How many things `create` with this body would be about. Nothing is done."""
        dry = {**cast(Any, body), "dryRun": True}
        return self._transport.call("createBulkAction", request, body=dry)

    def create(self, body: t.CreateBulkActionBody, **request: Any) -> t.BulkAction:
        return self._transport.call("createBulkAction", request, body=body)

    def list(self, query: Optional[t.ListBulkActionsQuery] = None, **request: Any) -> List[t.BulkAction]:
        return List(self._transport, "listBulkActions", request, query=query)

    def get(self, bulk_action_id: str, wait_seconds: int = 0, **request: Any) -> t.BulkAction:
        """With `wait_seconds` (up to 30) the response waits for the bulk action to end."""
        waiting = waiting_call(self._transport, wait_seconds, request)
        return self._transport.call("getBulkAction", path={"bulkActionId": bulk_action_id}, **waiting)

    def abort(self, bulk_action_id: str, **request: Any) -> t.BulkAction:
        return self._transport.call("abortBulkAction", request, path={"bulkActionId": bulk_action_id})

    def wait_for(
        self,
        bulk_action_id: str,
        on_progress: Optional[Callable[[t.BulkAction], None]] = None,
        timeout: Optional[float] = None,
        poll_seconds: float = WATCHED_POLL_SECONDS,
    ) -> t.BulkAction:
        """The action that is no longer worked on: look at its `state`."""
        read = waiting_reader(functools.partial(self.get, bulk_action_id), poll_seconds, timeout)
        what = f"bulk action {bulk_action_id}"
        return wait_until(self._transport, what, read, _has_ended, on_progress, timeout, poll_seconds)


def _has_ended(action: t.BulkAction) -> bool:
    return action["finishedAt"] is not None
