"""Runs: every row of a dataset through a job spec."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, cast

from .. import types as t
from .._lists import List, RowList
from .._streams import ServerSentEvent, parse_server_sent_events
from .._transport import Transport
from .._wait import WATCHED_POLL_SECONDS, waiting_call, wait_seconds_of, wait_until

#: Where nobody watches: few requests, and below the patience of proxies.
UNWATCHED_POLL_SECONDS = 20.0

TERMINAL_STATES = ("succeeded", "partially_succeeded", "failed", "canceled", "expired")


def is_terminal(run: t.Run) -> bool:
    """Whether the run has ended, in whatever way."""
    return run["state"] in TERMINAL_STATES


class Runs:
    """Runs and their results."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: t.CreateRunBody, **request: Any) -> t.Run:
        return self._transport.call("createRun", request, body=body)

    def estimate(self, body: t.CreateRunBody, **request: Any) -> t.RunEstimate:
        """What the run would take and cost, with a range. Nothing is made, called or paid."""
        return self._transport.call("createRun", request, body=_dry(body))

    def list(self, query: Optional[t.ListRunsQuery] = None, **request: Any) -> List[t.Run]:
        return List(self._transport, "listRuns", request, query=query)

    def get(self, run_id: str, wait_seconds: int = 0, **request: Any) -> t.Run:
        """With `wait_seconds` (up to 30) the response waits for the run to end."""
        waiting = waiting_call(self._transport, wait_seconds, request)
        return self._transport.call("getRun", path={"runId": run_id}, **waiting)

    def update(self, run_id: str, body: t.UpdateRunBody, **request: Any) -> t.Run:
        """Name and metadata always; priority, concurrency, budget and failure policy until the run has ended."""
        return self._transport.call("updateRun", request, path={"runId": run_id}, body=body)

    def wait_for(
        self,
        run_id: str,
        on_progress: Optional[Callable[[t.Run], None]] = None,
        timeout: Optional[float] = None,
        poll_seconds: Optional[float] = None,
    ) -> t.Run:
        """The run that has ended, however it ended: look at its `state`. A paused run is waited for, too."""
        usual = WATCHED_POLL_SECONDS if on_progress is not None else UNWATCHED_POLL_SECONDS
        seconds = usual if poll_seconds is None else poll_seconds
        deadline = None if timeout is None else time.monotonic() + timeout

        def read(request: Mapping[str, Any]) -> t.Run:
            return self.get(run_id, wait_seconds=wait_seconds_of(seconds, deadline), **request)

        return wait_until(self._transport, f"run {run_id}", read, is_terminal, on_progress, timeout, seconds)

    def cancel(self, run_id: str, **request: Any) -> t.Run:
        return self._transport.call("cancelRun", request, path={"runId": run_id})

    def pause(self, run_id: str, **request: Any) -> t.Run:
        return self._transport.call("pauseRun", request, path={"runId": run_id})

    def resume(self, run_id: str, **request: Any) -> t.Run:
        return self._transport.call("resumeRun", request, path={"runId": run_id})

    def retry(self, run_id: str, body: Optional[t.RetryRunBody] = None, **request: Any) -> t.Run:
        """A new run over what `selection` names of this one: what is unfinished, if absent."""
        return self._transport.call("retryRun", request, path={"runId": run_id}, body=body)

    def estimate_retry(self, run_id: str, body: Optional[t.RetryRunBody] = None, **request: Any) -> t.RunEstimate:
        """What `retry` with this body would take and cost. Nothing is made, called or paid."""
        return self._transport.call("retryRun", request, path={"runId": run_id}, body=_dry(body or {}))

    def delete(self, run_id: str, **request: Any) -> None:
        """Only when it has ended; its results are deleted with it."""
        self._transport.call("deleteRun", request, path={"runId": run_id})

    def lineage(self, run_id: str, **request: Any) -> t.Lineage:
        return self._transport.call("getRunLineage", request, path={"runId": run_id})

    def map(self, run_id: str, query: Optional[t.GetRunMapQuery] = None, **request: Any) -> t.RunMap:
        """The states of the rows, in at most so many cells."""
        return self._transport.call("getRunMap", request, path={"runId": run_id}, query=query)

    def rows(self, run_id: str, query: Optional[t.ListRunRowsQuery] = None, **request: Any) -> RowList[t.RunRow]:
        return RowList(self._transport, "listRunRows", request, path={"runId": run_id}, query=query)

    def events(self, run_id: str, query: Optional[t.ListRunEventsQuery] = None, **request: Any) -> List[t.RunEvent]:
        return List(self._transport, "listRunEvents", request, path={"runId": run_id}, query=query)

    def stream_events(
        self, run_id: str, last_event_id: Optional[str] = None, **request: Any
    ) -> Iterator[ServerSentEvent]:
        """
        The events of the run as they happen, and between them `run.progress` without an id. Ends after the last event of the run.
        After a broken connection, go on with the `id` of the last message as `last_event_id`.
        """
        headers = dict(request.pop("headers", None) or {})
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        response = self._transport.send(
            "streamRunEvents",
            {**request, "headers": headers},
            lambda opened: opened,
            path={"runId": run_id},
            accept="text/event-stream",
            is_stream=True,
        )
        with response:
            yield from parse_server_sent_events(response.chunks())

    def outputs(self, run_id: str, query: Optional[t.ListOutputsQuery] = None, **request: Any) -> RowList[t.Output]:
        return RowList(self._transport, "listOutputs", request, path={"runId": run_id}, query=query)

    def failures(self, run_id: str, query: Optional[t.ListFailuresQuery] = None, **request: Any) -> RowList[t.Failure]:
        return RowList(self._transport, "listFailures", request, path={"runId": run_id}, query=query)

    def failure_groups(
        self, run_id: str, query: Optional[t.ListFailureGroupsQuery] = None, **request: Any
    ) -> List[t.FailureGroup]:
        """The failures by their cause, the most frequent first."""
        return List(self._transport, "listFailureGroups", request, path={"runId": run_id}, query=query)

    def resolved_results(
        self, run_id: str, query: Optional[t.ListResolvedResultsQuery] = None, **request: Any
    ) -> RowList[t.ResolvedResult]:
        """One result for each row over the whole family of the run."""
        return RowList(self._transport, "listResolvedResults", request, path={"runId": run_id}, query=query)


def _dry(body: Any) -> Any:
    return {**cast(Dict[str, Any], body), "dryRun": True}
