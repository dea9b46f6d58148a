"""One action on everything that matches a filter."""

from __future__ import annotations

from typing import Any, Callable, Optional, cast

from .. import types as t
from .._lists import List
from .._transport import Transport
from .._wait import WATCHED_POLL_SECONDS, wait_until


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

    def get(self, bulk_action_id: str, **request: Any) -> t.BulkAction:
        return self._transport.call("getBulkAction", request, path={"bulkActionId": bulk_action_id})

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
        return wait_until(
            self._transport,
            f"bulk action {bulk_action_id}",
            lambda request: self.get(bulk_action_id, **request),
            _has_ended,
            on_progress,
            timeout,
            poll_seconds,
        )


def _has_ended(action: t.BulkAction) -> bool:
    return action["finishedAt"] is not None
