"""Datasets, and the uploads that make them."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Union, cast

from .. import types as t
from .._content import Content, OnSent, SendProgress, Source, content_source, file_source, may_be_repeated, rows_source
from .._errors import DatasetIntakeError, RowmillApiError, RowmillError
from .._lists import List, RowList
from .._transport import Transport
from .._upload import ARRIVED_STATES, send_content
from .._wait import WATCHED_POLL_SECONDS, waiting_call, waiting_reader, wait_until

#: What is larger is worth the further request that resuming after a broken connection costs.
RESUMABLE_BYTES = 64 * 1024 * 1024

#: The caller waits for an error.
LAST_REQUEST = {"max_retries": 1, "timeout": 5.0}

ENDED_STATES = ("completed", "failed", "expired", "canceled")


class UploadProgress(NamedTuple):
    bytes_sent: int
    #: None where the size is not known beforehand.
    bytes_total: Optional[int]
    #: The upload as the service works on it; None while the content is sent.
    upload: Optional[t.DatasetUpload]


class DatasetUploads:
    """The steps of `datasets.upload`, one by one."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: t.CreateDatasetUploadBody, **request: Any) -> t.DatasetUpload:
        return self._transport.call("createDatasetUpload", request, body=body)

    def list(self, query: Optional[t.ListDatasetUploadsQuery] = None, **request: Any) -> List[t.DatasetUpload]:
        return List(self._transport, "listDatasetUploads", request, query=query)

    def get(self, dataset_upload_id: str, wait_seconds: int = 0, **request: Any) -> t.DatasetUpload:
        """With `wait_seconds` (up to 30) the response waits for the upload to end."""
        waiting = waiting_call(self._transport, wait_seconds, request)
        return self._transport.call("getDatasetUpload", path={"datasetUploadId": dataset_upload_id}, **waiting)

    def cancel(self, dataset_upload_id: str, **request: Any) -> t.DatasetUpload:
        """Only while it awaits its content."""
        return self._transport.call("cancelDatasetUpload", request, path={"datasetUploadId": dataset_upload_id})

    def upload_content(
        self,
        dataset_upload_id: str,
        content: Union[Content, "os.PathLike[str]"],
        size: Optional[int] = None,
        resumable: bool = False,
        on_progress: Optional[OnSent] = None,
        **request: Any,
    ) -> t.DatasetUpload:
        """
        Streams a path, bytes, a text, a binary file or an iterable of bytes in constant memory. What can be read again is sent
        again after a failure; with `resumable`, only the rest of it. Of what is read once, such as an iterable, 4 MiB are kept:
        it is sent again as long as no more was taken. A text is content: name a file by a Path.
        """
        source = file_source(content) if isinstance(content, os.PathLike) else content_source(content)
        return send_content(self._transport, dataset_upload_id, source, request, size, resumable, on_progress)

    def wait_for(
        self,
        dataset_upload_id: str,
        on_progress: Optional[Callable[[t.DatasetUpload], None]] = None,
        timeout: Optional[float] = None,
        poll_seconds: float = WATCHED_POLL_SECONDS,
    ) -> t.DatasetUpload:
        """The upload that is no longer worked on: look at its `state`."""
        read = waiting_reader(functools.partial(self.get, dataset_upload_id), poll_seconds, timeout)
        what = f"dataset upload {dataset_upload_id}"
        return wait_until(self._transport, what, read, _has_ended, on_progress, timeout, poll_seconds)


class Datasets:
    """Tables whose rows are processed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._uploads = DatasetUploads(transport)

    def upload(
        self,
        name: str,
        file: Union[str, "os.PathLike[str]", None] = None,
        content: Optional[Content] = None,
        rows: Optional[Iterable[Mapping[str, Any]]] = None,
        url: Optional[str] = None,
        filename: Optional[str] = None,
        size: Optional[int] = None,
        format: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
        on_progress: Optional[Callable[[UploadProgress], None]] = None,
        idempotency_key: Optional[str] = None,
        **request: Any,
    ) -> t.Dataset:
        """
        Makes a dataset of a `file`, of `content`, of `rows` or of a `url` that the service fetches: opens an upload, sends the
        content, and waits until the service has read it. Raises a DatasetIntakeError with the errors of each line where it could
        not. With your own `idempotency_key`, a call after a crash continues the same upload; without one, an upload whose content
        was refused, or ended early, is canceled. `options` are further members of the upload, such as `{"csv": {...}, "onInvalidRow": "skip", "metadata": {...}}`.
        """
        source = _source_of(file, content, rows, url)
        total = size if size is not None or source is None else source.size
        body: Dict[str, Any] = {"name": name, **(options or {})}
        if format is not None or rows is not None:
            body["format"] = format or "jsonl"
        if url is not None:
            body["source"] = {"type": "url", "url": url}
        else:
            described = {"filename": filename or (source.filename if source else None), "sizeBytes": total}
            body["source"] = {"type": "upload", **{key: value for key, value in described.items() if value is not None}}
        upload = self._uploads.create(
            cast(t.CreateDatasetUploadBody, body), idempotency_key=idempotency_key, **request
        )
        sent = SendProgress(0, total)
        if source is not None:

            def on_sent(progress: SendProgress) -> None:
                nonlocal sent
                sent = progress
                if on_progress is not None:
                    on_progress(UploadProgress(*progress, upload=None))

            is_resumable = source.is_replayable and (source.size or 0) > RESUMABLE_BYTES
            try:
                send_content(self._transport, upload["id"], source, request, size, is_resumable, on_sent)
            except BaseException as error:
                # With a key, the caller goes on with the same upload.
                if idempotency_key is not None:
                    raise
                last = {**request, **LAST_REQUEST}
                # Of content that was sent once, this was the only attempt: the service may be on its way back.
                look = last if may_be_repeated(source) else request
                has_arrived = not _is_over(error) and self._has_arrived(upload["id"], look)
                # What the caller has to know is why the content was not taken, or else what became of it.
                if not has_arrived and (self._is_canceled(upload["id"], last) or _is_over(error)):
                    raise

        def on_reading(reading: t.DatasetUpload) -> None:
            if on_progress is not None:
                on_progress(UploadProgress(*sent, upload=reading))

        ended = self._uploads.wait_for(upload["id"], on_progress=on_reading)
        if ended["state"] != "completed" or ended["datasetId"] is None:
            raise DatasetIntakeError(ended)
        return self.get(ended["datasetId"], **request)

    def _has_arrived(self, dataset_upload_id: str, request: Mapping[str, Any]) -> bool:
        """Whether the service has all of the content, and only its response was lost."""
        try:
            return self._uploads.get(dataset_upload_id, **request)["state"] in ARRIVED_STATES
        except RowmillError:
            # The error of the content is what the caller has to know.
            return False

    def _is_canceled(self, dataset_upload_id: str, request: Mapping[str, Any]) -> bool:
        """
        Else the upload would keep for a day what it has reserved of the organization's storage, which can be all that was left; where
        the service is away, it keeps it. False where the service refuses, since the content has arrived.
        """
        try:
            self._uploads.cancel(dataset_upload_id, **request)
        except RowmillError as error:
            return not (isinstance(error, RowmillApiError) and error.code == "invalid_state")
        return True

    def list(self, query: Optional[t.ListDatasetsQuery] = None, **request: Any) -> List[t.Dataset]:
        return List(self._transport, "listDatasets", request, query=query)

    def get(self, dataset_id: str, **request: Any) -> t.Dataset:
        return self._transport.call("getDataset", request, path={"datasetId": dataset_id})

    def update(self, dataset_id: str, body: t.UpdateDatasetBody, **request: Any) -> t.Dataset:
        return self._transport.call("updateDataset", request, path={"datasetId": dataset_id}, body=body)

    def delete(self, dataset_id: str, **request: Any) -> None:
        """Refused while a run needs it."""
        self._transport.call("deleteDataset", request, path={"datasetId": dataset_id})

    def rows(
        self, dataset_id: str, query: Optional[t.ListDatasetRowsQuery] = None, **request: Any
    ) -> RowList[t.DatasetRow]:
        return RowList(self._transport, "listDatasetRows", request, path={"datasetId": dataset_id}, query=query)

    def column_statistics(
        self, dataset_id: str, query: Optional[t.GetColumnStatisticsQuery] = None, **request: Any
    ) -> t.ColumnStatistics:
        """How the values of its columns are distributed."""
        return self._transport.call("getColumnStatistics", request, path={"datasetId": dataset_id}, query=query)

    def row(self, dataset_id: str, dataset_row_id: str, **request: Any) -> t.DatasetRow:
        path = {"datasetId": dataset_id, "datasetRowId": dataset_row_id}
        return self._transport.call("getDatasetRow", request, path=path)


def _is_over(error: BaseException) -> bool:
    """
    Neither may the content have arrived, nor can the service be out of reach: it was refused, or its source has failed, or the
    program is interrupted.
    """
    if not isinstance(error, RowmillApiError):
        return not isinstance(error, RowmillError)
    return error.status < 500 and error.status != 429 and error.code != "invalid_state"


def _has_ended(upload: t.DatasetUpload) -> bool:
    return upload["state"] in ENDED_STATES


def _source_of(
    file: Union[str, "os.PathLike[str]", None],
    content: Optional[Content],
    rows: Optional[Iterable[Mapping[str, Any]]],
    url: Optional[str],
) -> Optional[Source]:
    if sum(value is not None for value in (file, content, rows, url)) != 1:
        raise TypeError("exactly one of file, content, rows and url says where the rows come from")
    if file is not None:
        return file_source(file)
    if content is not None:
        return content_source(content)
    return None if rows is None else rows_source(rows)
