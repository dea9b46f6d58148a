"""Whether a provider that refuses calls holds a run back: what the limits of its connections report, read while it goes on."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Optional

from .. import types as t
from .._errors import RowmillApiError, RowmillError
from ..client import Rowmill

#: Fast enough for a person, and a small part of what following a run takes anyway.
LOOK_SECONDS = 3
#: Every refusal pauses calls for a moment; the rate says more than a pause that is over when it is read.
LONG_PAUSE_SECONDS = 3


class SlowedCalls:
    def __init__(self, client: Rowmill) -> None:
        self._client = client
        self._called: Optional[Dict[str, List[str]]] = None
        self._next_at = 0.0
        self._part: Optional[str] = None

    def part(self, run: t.Run) -> Optional[str]:
        """For the line of the progress; None where nothing holds calls back."""
        if run["state"] != "running":
            return None
        if time.monotonic() >= self._next_at:
            self._next_at = time.monotonic() + LOOK_SECONDS
            try:
                self._part = self._read(run)
            except RowmillError as error:
                self._part = None
                # A key without the scope stays without it. A service that is away is reported by the reads of the run.
                if isinstance(error, RowmillApiError) and error.status == 403:
                    self._next_at = float("inf")
        return self._part

    def _read(self, run: t.Run) -> Optional[str]:
        if self._called is None:
            self._called = self._find_called(run)
        slowed: List[Any] = []
        for connection_id, models in self._called.items():
            states = self._client.connections.limits(connection_id, max_retries=0)["models"]
            slowed += [state for state in states if state["model"] in models and _holds_back(state)]
        if not slowed:
            return None
        # A run of several models waits for the one that is paused longest.
        longest = max(slowed, key=lambda state: state["pausedSeconds"])
        if longest["pausedSeconds"] >= LONG_PAUSE_SECONDS:
            return f"no call for {longest['pausedSeconds']:,.0f} s after refusals"
        rate = longest["requestsPerMinute"]
        return f"{'fewer' if rate is None else f'at most {rate:,}'} calls/min after refusals"

    def _find_called(self, run: t.Run) -> Dict[str, List[str]]:
        version = self._client.job_specs.versions.get(run["jobSpecId"], run["jobSpecVersion"], max_retries=0)
        processor: Any = version["processor"]
        connection = processor.get("connection")
        if connection is None:
            return {}
        # Limits of an `http` connection are those of all its calls, and have no model.
        called = {connection: [processor.get("model", "")]}
        for fallback in processor.get("fallbacks", []):
            called.setdefault(fallback.get("connection", connection), []).append(fallback["model"])
        return called


def _holds_back(state: Any) -> bool:
    return state["slowedAt"] is not None or state["pausedSeconds"] >= LONG_PAUSE_SECONDS
