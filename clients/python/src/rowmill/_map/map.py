"""
`rowmill.map`: rows in, a table out.

    rows ──▶ dataset ──▶ job spec ──▶ run found? ── no ──▶ price ──▶ run ──▶ followed ──▶ table
                                          └─ yes ──▶ continued ───────────────▲

Everything that is made has a key that follows from its content (`identity.py`), so that the same call, after a kill at any point or
in another process, finds what is there.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, Dict, Iterable, Mapping, Optional, Protocol, TypeVar, Union, cast, overload

from .. import types as t
from .._errors import RowmillError
from .._plural import plural
from .._resources.runs import is_terminal
from ..client import Rowmill
from .follow import follow_run, shower_of
from .inputs import Input, open_input
from .models import connect_model, connection_named
from .options import MapOptions, Text, define_job
from .result import MapResult
from .things import (
    Reading,
    continue_run,
    create_run,
    ensure_dataset,
    ensure_job_spec,
    find_run,
    refuse_retry_of_nothing,
    retry_run,
    run_limits,
)

Rows = Union[str, "os.PathLike[str]", Iterable[Mapping[str, Any]]]


class PriceNotAgreedError(RowmillError):
    """The rows cost money, or nobody knows how much: pass `max_cost` or `yes=True`. `estimate` is what they would cost."""

    def __init__(self, estimate: t.RunEstimate) -> None:
        self.estimate = estimate
        found = estimate["estimate"]
        cost = found["costUsd"]
        price = "a price that is not known" if cost is None else f"${cost['low']} to ${cost['high']}"
        super().__init__(
            f"{plural(estimate['rows'], 'row')}{_known(found)} at {price}: pass max_cost=5 to spend at most $5, or yes=True. Nothing was started."
        )


def _known(estimate: t.RunEstimateEstimate) -> str:
    cached = estimate.get("cachedSampledRows", 0)
    return f" (the cache has {cached:,} of {estimate['sampledRows']:,} looked up)" if cached else ""


class Frame(Protocol):
    """A DataFrame, known by its shape: pandas is not required."""

    @property
    def iloc(self) -> Any: ...

    @property
    def columns(self) -> Any: ...

    def itertuples(self) -> Any: ...


AFrame = TypeVar("AFrame", bound=Frame)


# Options are written out once, below, where `help(rowmill.map)` shows them.
@overload
def map(rows: AFrame, **options: Any) -> AFrame: ...


@overload
def map(rows: Rows, **options: Any) -> MapResult: ...


def map(  # type: ignore[misc]
    rows: Any,
    *,
    prompt: Optional[Text] = None,
    model: Optional[str] = None,
    system: Optional[Text] = None,
    image: Optional[str] = None,
    schema: Any = None,
    transform: Optional[Text] = None,
    http: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    body: Any = None,
    mock: Union[bool, Mapping[str, Any]] = False,
    spec: Any = None,
    connection: Optional[str] = None,
    base_url: Optional[str] = None,
    price: Optional[str] = None,
    store_key: bool = False,
    temperature: Optional[float] = None,
    max_output_tokens: Optional[int] = None,
    cache: bool = True,
    limit: Optional[int] = None,
    sample: Optional[int] = None,
    seed: Optional[int] = None,
    max_cost: Any = None,
    yes: bool = False,
    retry: bool = False,
    concurrency: Optional[int] = None,
    name: Optional[str] = None,
    format: Optional[str] = None,
    csv: Optional[Mapping[str, Any]] = None,
    on_invalid_row: Optional[str] = None,
    progress: Any = None,
    client: Optional[Rowmill] = None,
) -> Any:
    """
    Processes every row of a path, of an iterable of mappings, or of a DataFrame, which gives a DataFrame with the same index.

    What happens to a row is one of: `prompt` with `model` (`{{column}}` in it; a Path is read), `transform` (JavaScript), `http`
    ("POST https://...", or a path with `connection`), `spec` (the body of a job spec), `mock=True` (echoes the row). `schema` says
    what comes out: a JSON Schema, a Pydantic model, or "industry, confidence number".

    A file is read as `format`, `csv` ({"encoding": "windows-1252", "delimiter": ";", "header": False}) and `on_invalid_row` ("skip" leaves
    out rows that cannot be read, with a warning) say, as in an upload.

    The same rows and the same spec are the same run: a call after a restart of the kernel attaches to it, and pays nothing twice.
    `retry=True` processes rows again that failed. `max_cost` is the budget in US dollars, after which the run pauses. Ctrl-C leaves
    the run, which goes on.
    """
    options = MapOptions(
        prompt, model, system, image, schema, transform, http, headers, body, mock, spec, connection, base_url, price,
        store_key, temperature, max_output_tokens, cache, limit, sample, seed, max_cost, yes, retry, concurrency, name,
        format, csv, on_invalid_row, progress,
    )  # fmt: skip
    # Everything that can be wrong without a service is said first.
    kind, scope = options.kind, options.scope
    limits = run_limits(options.max_cost_usd, options.concurrency)
    used = client or Rowmill()
    shower = shower_of(progress)
    given = open_input(rows, name)
    try:
        dataset = ensure_dataset(used, given, Reading(format, csv, on_invalid_row), lambda sent, upload: shower.upload(given, sent, upload))
    finally:
        shower.clear()
        given.close()
    if dataset["rowCount"] == 0:
        raise ValueError(f"{given.name} has no rows")
    connected = connect_model(used, options) if kind == "prompt" else None
    if kind == "http" and options.connection is not None:
        connected = {"connectionId": connection_named(used, options.connection)}
    definition = define_job(options, [column["name"] for column in dataset["columns"]], connected)
    job_spec_id = ensure_job_spec(used, given.name, definition)
    run = find_run(used, dataset["id"], job_spec_id, scope)
    if run is None:
        if retry:
            refuse_retry_of_nothing(used, dataset["id"], job_spec_id, scope)
        _agree(used, options, dataset["id"], job_spec_id, scope)
        run = create_run(used, dataset["id"], job_spec_id, scope, given.name, limits)
    elif not is_terminal(run):
        run = continue_run(used, run, limits)
    elif retry and run["rows"]["failed"] + run["rows"]["canceled"] + run["rows"]["skipped"] > 0:
        _agree_on_retry(used, options, run)
        run = retry_run(used, run, limits)
    return _table(used, follow_run(used, run, shower), given)


def attach(run_id: str, *, progress: Any = None, client: Optional[Rowmill] = None) -> MapResult:
    """Comes back to a run: waits for its end, and gives its table."""
    used = client or Rowmill()
    run = follow_run(used, used.runs.get(run_id), shower_of(progress))
    _warn(used, run)
    return MapResult(used, run)


def _table(client: Rowmill, run: t.Run, given: Input) -> Any:
    _warn(client, run)
    if given.frame is None:
        return MapResult(client, run, given.rows)
    from .frames import frame_with_results

    result = MapResult(client, run)
    results = cast(Iterable[Mapping[str, Any]], result.results())
    return frame_with_results(given.frame, results, result.output_schema(), run["id"])


def _agree(client: Rowmill, options: MapOptions, dataset_id: str, job_spec_id: str, scope: Mapping[str, Any]) -> None:
    if options.kind in ("mock", "transform") or options.yes or options.max_cost is not None:
        return
    body: Dict[str, Any] = {"datasetId": dataset_id, "jobSpecId": job_spec_id, "scope": scope}
    _refuse_price(client.runs.estimate(cast(t.CreateRunBody, body)))


def _agree_on_retry(client: Rowmill, options: MapOptions, run: t.Run) -> None:
    if options.kind in ("mock", "transform") or options.yes or options.max_cost is not None:
        return
    _refuse_price(client.runs.estimate_retry(run["id"], {"selection": {"type": "unfinished"}}))


def _refuse_price(estimate: t.RunEstimate) -> None:
    cost = estimate["estimate"]["costUsd"]
    if cost is None or float(cost["high"]) > 0:
        raise PriceNotAgreedError(estimate)


def _warn(client: Rowmill, run: t.Run) -> None:
    rows = run["rows"]
    left = rows["failed"] + rows["canceled"] + rows["skipped"]
    if left == 0:
        return
    groups = client.runs.failure_groups(run["id"]).page().data
    causes = ", ".join(f"{group['code']} {group['count']}" for group in groups)
    error = run["error"]
    reason = "" if error is None else f" {error['message']}"
    warnings.warn(
        f"{run['id']} {run['state']}: {left} of {plural(rows['total'], 'row')} did not succeed{': ' + causes if causes else ''}."
        f"{reason} They are in the table with their failure_code; the same call with retry=True processes them again.",
        stacklevel=4,
    )
