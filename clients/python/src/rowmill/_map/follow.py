"""Watches a run to its end, or until it waits for somebody, or until it is interrupted."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from .. import types as t
from .._errors import RowmillApiError, RowmillError
from .._plural import plural
from .._resources.runs import is_terminal
from .._wait import MAX_RETRIES_OF_A_READING
from ..client import Rowmill
from .inputs import Input
from .slowed_calls import SlowedCalls

#: The service holds a reading for this long, unless the run ends: a bar that moves.
LOOK_SECONDS = 1
MIB = 1024 * 1024

OnProgress = Callable[[t.Run], None]


class Detached(KeyboardInterrupt):
    """Interrupted while a run goes on. `run_id` names it; the same call attaches to it again."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(
            f"left {run_id}, which goes on without you. Come back with the same call, or with rowmill.attach({run_id!r}); "
            f"stop it with Rowmill().runs.cancel({run_id!r})."
        )


class RunPausedError(RowmillError):
    """The run waits for somebody: its budget is used up, or nearly all of its first rows failed."""

    def __init__(self, run: t.Run, advice: str) -> None:
        self.run = run
        self.run_id = run["id"]
        self.reason = run["stateReason"]
        left = run["rows"]["pending"]
        what = run["stateReasonMessage"] or "It was paused."
        super().__init__(f"{run['id']} is paused, {left:,} of {plural(run['rows']['total'], 'row')} left. {what} {advice}")


class Shower:
    """Shows nothing."""

    #: Whether `run` is given what holds calls back, which has to be read.
    shows_slowed = False

    def upload(self, given: Input, bytes_sent: int, upload: Optional[t.DatasetUpload]) -> None:
        pass

    def run(self, run: t.Run, slowed: Optional[str] = None) -> None:
        pass

    def clear(self) -> None:
        pass

    def end(self) -> None:
        pass


def follow_run(client: Rowmill, run: t.Run, shower: Shower) -> t.Run:
    slowed = SlowedCalls(client) if shower.shows_slowed else None
    try:
        while True:
            shower.run(run, None if slowed is None else slowed.part(run))
            # A run that is to pause still has rows in flight, whose results are not yet counted.
            if run["state"] == "paused" and run["rows"]["running"] == 0:
                raise RunPausedError(run, _advice(client, run))
            if is_terminal(run):
                return run
            run = _look(client, run["id"])
    except KeyboardInterrupt:
        raise Detached(run["id"]) from None
    finally:
        shower.end()


def _look(client: Rowmill, run_id: str) -> t.Run:
    try:
        return client.runs.get(run_id, wait_seconds=LOOK_SECONDS, max_retries=MAX_RETRIES_OF_A_READING)
    except RowmillApiError as error:
        if error.code != "not_found":
            raise
        raise RowmillError(f"{run_id} was deleted meanwhile: the same call makes it again") from error


def _advice(client: Rowmill, run: t.Run) -> str:
    if run["stateReason"] == "budget_exhausted":
        return "Nothing is lost: the same call with a larger max_cost goes on."
    if run["stateReason"] != "breaker_open":
        return "Correct the cause; the same call goes on."
    try:
        group = client.runs.failure_groups(run["id"]).first()
    except RowmillError:
        group = None  # The key may not read results, or the service is away: that the run is paused is said all the same.
    cause = "" if group is None else f"{group['sample']['message'].rstrip('.')} ({group['code']}). "
    return f"{cause}Correct the cause; the same call goes on."


def shower_of(progress: Any) -> Shower:
    if callable(progress):
        return _Given(progress)
    is_watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    return _Line() if progress is True or (progress is None and is_watched) else Shower()


class _Given(Shower):
    def __init__(self, shown: OnProgress) -> None:
        self._shown = shown

    def run(self, run: t.Run, slowed: Optional[str] = None) -> None:
        self._shown(run)


class _Line(Shower):
    """One line on stderr that is written over."""

    shows_slowed = True

    def __init__(self) -> None:
        self._width = 0

    def upload(self, given: Input, bytes_sent: int, upload: Optional[t.DatasetUpload]) -> None:
        rows = 0 if upload is None else upload["rowsAccepted"]
        read = "" if rows == 0 else f", {plural(rows, 'row')} read"
        self._show(f"{given.name}: {bytes_sent / MIB:.1f} of {given.size / MIB:.1f} MiB sent{read}")

    def run(self, run: t.Run, slowed: Optional[str] = None) -> None:
        rows = run["rows"]
        done = rows["total"] - rows["pending"] - rows["running"]
        parts = [f"{run['id']} {run['state']}: {done:,} of {plural(rows['total'], 'row')}"]
        if rows["failed"]:
            parts.append(f"{rows['failed']:,} failed")
        if slowed is not None:
            parts.append(slowed)
        cost: Optional[str] = run["usage"]["costUsd"]
        if run["usage"]["requests"] and cost is not None:
            parts.append(f"${float(cost):.4f}")
        eta = run["progress"].get("etaSeconds")
        if eta and not is_terminal(run):
            parts.append(f"about {eta:,.0f} s left")
        self._show(", ".join(parts))

    def _show(self, text: str) -> None:
        sys.stderr.write("\r" + text + " " * max(0, self._width - len(text)))
        sys.stderr.flush()
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._show("")
            sys.stderr.write("\r")
        self._width = 0

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\n")
