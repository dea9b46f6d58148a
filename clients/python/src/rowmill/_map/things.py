"""
The dataset, job spec and run of a call, found again or made. They are found by metadata, which stay; where there are none, they are
made with keys that follow from content, so that a call that was killed in between makes nothing twice.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, TypeVar, cast

from .. import types as t
from .._plural import plural
from .._errors import DatasetIntakeError, RowmillApiError, RowmillError
from .._resources.datasets import RESUMABLE_BYTES
from .._resources.runs import is_terminal
from ..client import Rowmill
from .identity import key_of
from .inputs import Input

T = TypeVar("T")
#: Bytes that are sent, and what the service has made of them.
OnSent = Callable[[int, Optional[t.DatasetUpload]], None]

#: The service forgets idempotency keys after days; this name in the metadata stays.
MAP_KEY = "rowmill.map"
#: A thing that was deleted is made again under the next key; nobody deletes the same one so often.
MAX_GENERATIONS = 100
#: As the API limits a name and the name of a file, in characters.
MAX_NAME = 200
MAX_FILENAME = 255


class Reading(NamedTuple):
    """How a file is read, where its name and its content do not say it: members of an upload."""

    format: Optional[str] = None
    csv: Optional[Mapping[str, Any]] = None
    on_invalid_row: Optional[str] = None

    @property
    def members(self) -> Dict[str, Any]:
        named = {"format": self.format, "csv": self.csv, "onInvalidRow": self.on_invalid_row}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def identity(self) -> List[Any]:
        """What makes another dataset of the same content, in the same way as the command."""
        csv = dict(self.csv or {})
        encoding = csv.pop("encoding", None)
        newer: Dict[str, Any] = {"csv": csv} if csv else {}
        if self.on_invalid_row == "skip":
            newer["onInvalidRow"] = "skip"
        return [self.format, *([] if encoding is None else [encoding]), *([newer] if newer else [])]


def ensure_dataset(client: Rowmill, given: Input, reading: Reading, on_sent: OnSent) -> t.Dataset:
    dataset = _ensure_dataset(client, given, reading, on_sent)
    if reading.on_invalid_row == "skip" and dataset["uploadId"] is not None:
        upload = client.dataset_uploads.get(dataset["uploadId"])
        left_out = upload["rowsRejected"]
        if left_out > 0:
            first = upload["errors"][0]
            warnings.warn(
                f"{left_out:,} {'row' if left_out == 1 else 'rows'} cannot be read, and "
                f"{'is' if left_out == 1 else 'are'} left out; the first is in line {first['line']}: {first['message']}",
                stacklevel=3,
            )
    return dataset


def _ensure_dataset(client: Rowmill, given: Input, reading: Reading, on_sent: OnSent) -> t.Dataset:
    identity = key_of("content", given.sha256, *reading.identity)
    for dataset in client.datasets.list({"metadata": {MAP_KEY: identity}}):
        if dataset["state"] == "ready":
            return dataset
    body: Dict[str, Any] = {
        "name": given.name[:MAX_NAME],
        # The file may change after it was hashed. The service refuses other content, which would be found by this hash ever after.
        "source": {"type": "upload", "filename": given.name[-MAX_FILENAME:], "sizeBytes": given.size, "sha256": given.sha256},
        "metadata": {MAP_KEY: identity},
        **reading.members,
    }
    for generation in range(MAX_GENERATIONS):
        key = key_of("dataset", given.sha256, body, generation)
        created = client.dataset_uploads.create(cast(t.CreateDatasetUploadBody, body), idempotency_key=key)
        # The response to a repeat is that of the first time.
        upload = _or_none(lambda: client.dataset_uploads.get(created["id"]))
        # It may have failed for a reason that is gone, such as a full disk.
        if upload is None or upload["state"] in ("expired", "canceled", "failed"):
            continue
        ended = _send_content(client, given, upload, on_sent)
        dataset_id = ended["datasetId"]
        if ended["state"] != "completed" or dataset_id is None:
            raise _changed(given) if given.has_changed() else DatasetIntakeError(ended)
        found = _or_none(lambda: client.datasets.get(cast(str, dataset_id)))
        if found is not None:
            return found
    raise RowmillError("the dataset cannot be made again: pass another name=")


def _send_content(client: Rowmill, given: Input, upload: t.DatasetUpload, on_sent: OnSent) -> t.DatasetUpload:
    """And waits until it is read."""
    try:
        if upload["state"] == "awaiting_content":
            is_large = given.size > RESUMABLE_BYTES
            client.dataset_uploads.upload_content(
                upload["id"], given.path, resumable=is_large, on_progress=lambda sent: on_sent(sent.bytes_sent, None)
            )
        return client.dataset_uploads.wait_for(
            upload["id"], on_progress=lambda reading: on_sent(given.size, reading)
        )
    except (OSError, RowmillError) as error:
        if given.has_changed():
            raise _changed(given) from error
        raise


def _changed(given: Input) -> RowmillError:
    return RowmillError(f"{given.name} changed while it was read: call again when nothing writes to it")


def ensure_job_spec(client: Rowmill, name: str, definition: Mapping[str, Any]) -> str:
    """The id of the job spec. One that was archived, or has got another version, which a run would use, is made again."""
    identity = key_of("definition", name, definition)
    for spec in client.job_specs.list({"metadata": {MAP_KEY: identity}}):
        if spec["archivedAt"] is None and spec["latestVersion"] == 1:
            return spec["id"]
    body = {"name": name[:MAX_NAME], **definition, "metadata": {MAP_KEY: identity}}
    for generation in range(MAX_GENERATIONS):
        key = key_of("spec", body, generation)
        created = client.job_specs.create(cast(t.CreateJobSpecBody, body), idempotency_key=key)
        found = _or_none(lambda: client.job_specs.get(created["id"]))
        if found is not None and found["archivedAt"] is None and found["latestVersion"] == 1:
            for warning in created.get("warnings") or []:
                warnings.warn(warning["message"], stacklevel=4)
            return found["id"]
    raise RowmillError("the job spec cannot be made again: pass another name=")


def find_run(client: Rowmill, dataset_id: str, job_spec_id: str, scope: Mapping[str, Any]) -> Optional[t.Run]:
    """The newest run of the same rows and spec: a retry run comes after the run that it repeats."""
    key = key_of("run", dataset_id, job_spec_id, scope)
    return client.runs.list({"datasetId": dataset_id, "jobSpecId": job_spec_id, "metadata": {MAP_KEY: key}}).first()


#: One page, newest first. A person who corrects a prompt has run the same rows a few runs before.
MAX_LOOKED_AT = 100


def refuse_retry_of_nothing(client: Rowmill, dataset_id: str, job_spec_id: str, scope: Mapping[str, Any]) -> None:
    """
    Another prompt, code, request or choice of rows than before is another run, in which no row has failed yet. With `retry=True` it would process, and
    pay for, every row, where those that failed are expected.
    """
    runs = client.runs.list({"datasetId": dataset_id, "limit": MAX_LOOKED_AT}).page().data
    made_by_map = [run for run in runs if MAP_KEY in run["metadata"]]
    of_same_rows = (run for run in made_by_map if run["metadata"][MAP_KEY] == key_of("run", dataset_id, run["jobSpecId"], scope))
    earlier = next(of_same_rows, next(iter(made_by_map), None))
    if earlier is None:
        return
    is_same_spec = earlier["jobSpecId"] == job_spec_id
    other = "is of another choice of rows" if is_same_spec else "is of another job spec"
    refused = "there is nothing to retry with these options: they are another run, of every row."
    newest = next(run for run in runs if run["rootRunId"] == earlier["rootRunId"])
    if not is_terminal(newest):
        raise ValueError(
            f"{refused} {newest['id']} {other}, and has not ended. Let it end or cancel it, and call again; "
            "for every row, leave out retry=True."
        )
    spec = client.job_specs.get(earlier["jobSpecId"])
    is_archived = spec["archivedAt"] is not None
    left = _not_succeeded(newest) if is_archived else _left_in(client, earlier)
    if left > 0:
        advice = (
            "That job spec is archived"
            if is_archived
            else f"For these alone, make a retry run of {earlier['id']}"
            if is_same_spec
            else f"For these alone, make a new version of {spec['id']} of the definition of {job_spec_id}, and a retry run of "
            f"{earlier['id']} with it"
        )
        raise ValueError(
            f"{refused} {earlier['id']} {other}, and {plural(left, 'row')} of it did not succeed. {advice}; "
            "for every row, leave out retry=True."
        )


def _not_succeeded(run: t.Run) -> int:
    rows = run["rows"]
    return rows["failed"] + rows["canceled"] + rows["skipped"]


def _left_in(client: Rowmill, run: t.Run) -> int:
    """Rows that have not succeeded in a retry run either."""
    if _not_succeeded(run) == 0:
        return 0
    try:
        return client.runs.estimate_retry(run["id"], {"selection": {"type": "unfinished"}})["rows"]
    except RowmillApiError as error:
        if error.code == "nothing_to_retry":
            return 0
        raise


#: What a run may take. It changes while the run goes on, and does not make it another run.
Limits = Mapping[str, Any]


def run_limits(max_cost: Optional[str], concurrency: Optional[int]) -> Dict[str, Any]:
    budget: Dict[str, Any] = {} if max_cost is None else {"budget": {"maxCostUsd": max_cost, "onExceeded": "pause"}}
    return budget if concurrency is None else {**budget, "concurrency": concurrency}


def create_run(
    client: Rowmill, dataset_id: str, job_spec_id: str, scope: Mapping[str, Any], name: str, limits: Limits
) -> t.Run:
    key = key_of("run", dataset_id, job_spec_id, scope)
    body = {
        "datasetId": dataset_id,
        "jobSpecId": job_spec_id,
        "scope": scope,
        "name": name[:MAX_NAME],
        **limits,
        "metadata": {MAP_KEY: key},
    }
    return _make_run(
        client,
        lambda generation: key_of("run", key, body, generation),
        lambda idempotency_key: client.runs.create(cast(t.CreateRunBody, body), idempotency_key=idempotency_key),
    )


def retry_run(client: Rowmill, run: t.Run, limits: Limits) -> t.Run:
    """The rows of `run` that have not succeeded, in a run of their own."""
    body = {"selection": {"type": "unfinished"}, **limits, "metadata": {**run["metadata"]}}
    identity = (run["id"], body)
    return _make_run(
        client,
        # The first is that of earlier versions: two of them at once make one run.
        lambda generation: key_of("retry", *identity, *([generation] if generation > 0 else [])),
        lambda idempotency_key: client.runs.retry(
            run["id"], cast(t.RetryRunBody, body), idempotency_key=idempotency_key
        ),
    )


def _make_run(client: Rowmill, key_at: Callable[[int], str], send: Callable[[str], t.Run]) -> t.Run:
    """The run of the same request before, unless it was deleted: the response to a repeat is that of the first request."""
    for generation in range(MAX_GENERATIONS):
        created = send(key_at(generation))
        run = _or_none(lambda: client.runs.get(created["id"]))
        if run is not None:
            return run
    raise RowmillError(f"the run was deleted {MAX_GENERATIONS} times: call again in a week")


def continue_run(client: Rowmill, run: t.Run, limits: Limits) -> t.Run:
    """A run that waits for somebody goes on; any other is left as it is."""
    if is_terminal(run):
        return run
    budget = run["budget"]
    now = run_limits(None if budget is None else budget["maxCostUsd"], run["concurrency"])
    try:
        if {**now, **limits} != now:
            client.runs.update(run["id"], cast(t.UpdateRunBody, limits))
        if run["state"] == "paused":
            return client.runs.resume(run["id"])
    except RowmillApiError as error:
        # It went on, or ended, in the meantime.
        if error.code != "invalid_state":
            raise
    return client.runs.get(run["id"])


def _or_none(read: Callable[[], T]) -> Optional[T]:
    try:
        return read()
    except RowmillApiError as error:
        if error.code == "not_found":
            return None
        raise
