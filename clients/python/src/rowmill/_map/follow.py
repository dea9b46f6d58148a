"""Watches a run to its end, or until it waits for somebody, or until it is interrupted."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from .. import types as t
from .._errors import RowmillError
from .._plural import plural
from .._resources.runs import is_terminal
from .._wait import MAX_RETRIES_OF_A_READING
from ..client import Rowmill

#: The service holds a reading for this long, unless the run ends: a bar that moves.
LOOK_SECONDS = 1

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


def follow_run(client: Rowmill, run: t.Run, progress: Any) -> t.Run:
    show = _shower(progress)
    try:
        while True:
            show(run)
            # A run that is to pause still has rows in flight, whose results are not yet counted.
            if run["state"] == "paused" and run["rows"]["running"] == 0:
                raise RunPausedError(run, _advice(run))
            if is_terminal(run):
                return run
            run = client.runs.get(run["id"], wait_seconds=LOOK_SECONDS, max_retries=MAX_RETRIES_OF_A_READING)
    except KeyboardInterrupt:
        raise Detached(run["id"]) from None
    finally:
        end = getattr(show, "end", None)
        if end is not None:
            end()


def _advice(run: t.Run) -> str:
    if run["stateReason"] == "budget_exhausted":
        return "Nothing is lost: the same call with a larger max_cost goes on."
    return "Correct the cause; the same call goes on."


def _shower(progress: Any) -> OnProgress:
    if callable(progress):
        shown: OnProgress = progress
        return shown
    is_watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    if progress is True or (progress is None and is_watched):
        return _Line()
    return lambda run: None


class _Line:
    """One line on stderr that is written over."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, run: t.Run) -> None:
        rows = run["rows"]
        done = rows["total"] - rows["pending"] - rows["running"]
        parts = [f"{run['id']} {run['state']}: {done:,} of {plural(rows['total'], 'row')}"]
        if rows["failed"]:
            parts.append(f"{rows['failed']:,} failed")
        cost: Optional[str] = run["usage"]["costUsd"]
        if run["usage"]["requests"] and cost is not None:
            parts.append(f"${float(cost):.4f}")
        eta = run["progress"].get("etaSeconds")
        if eta and not is_terminal(run):
            parts.append(f"about {eta:,.0f} s left")
        text = ", ".join(parts)
        sys.stderr.write("\r" + text + " " * max(0, self._width - len(text)))
        sys.stderr.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\n")
