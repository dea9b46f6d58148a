"""
Sends the content of an upload: in one request, or by the tus protocol, where the service keeps whatever has arrived and only the
rest is sent after trouble. How long to go on trying counts from the last byte that got through.
"""

from __future__ import annotations

import json
import random
import time
from typing import Any, Mapping, Optional

from ._content import OnSent, Source, may_be_repeated, sending
from ._errors import RowmillApiError, RowmillConnectionError, RowmillError
from ._http import Response
from ._retry import ALWAYS, is_worth_repeating, parse_retry_after, retry_delay
from ._transport import Transport
from .types import DatasetUpload


#: The content is there, whatever became of it.
ARRIVED_STATES = ("processing", "completed", "failed")


def send_content(
    transport: Transport,
    dataset_upload_id: str,
    source: Source,
    request: Mapping[str, Any],
    size: Optional[int],
    resumable: bool,
    on_progress: Optional[OnSent],
) -> DatasetUpload:
    if resumable and (source.size is None or not source.is_replayable):
        raise ValueError("only a path, bytes or a text can be sent resumably")
    path = {"datasetUploadId": dataset_upload_id}
    # An empty one has nothing to resume.
    if resumable and source.size:
        return _send_resumably(transport, path, source, source.size, request, on_progress)
    known = source.size if size is None else size
    headers = {**(request.get("headers") or {}), "content-type": "application/octet-stream"}
    if known is not None:
        headers["content-length"] = str(known)
    content = sending(source._replace(size=known), 0, on_progress)
    try:
        return transport.send(
            "putDatasetUploadContent", {**request, "headers": headers}, _read, path=path, content=content
        )
    except RowmillConnectionError as error:
        if may_be_repeated(source):
            raise
        advice = "The content can be read only once, and was not sent again: give a file, a list or bytes for that"
        raise RowmillConnectionError(f"{error}. {advice}") from error
    except RowmillApiError as error:
        # Its content is there: an earlier attempt, or an earlier life of the caller, has sent it and lost the response.
        if error.code != "invalid_state":
            raise
        upload: DatasetUpload = transport.call("getDatasetUpload", request, path=path)
        if upload["state"] not in ARRIVED_STATES:
            raise
        return upload


def _send_resumably(
    transport: Transport,
    path: Mapping[str, str],
    source: Source,
    size: int,
    request: Mapping[str, Any],
    on_progress: Optional[OnSent],
) -> DatasetUpload:
    retries = request.get("max_retries")
    retries = transport.max_retries if retries is None else retries
    reached = 0
    failures = 0
    while True:
        try:
            offset = transport.call("getResumableContentOffset", request, path=path)["offsetBytes"]
            if offset > reached:
                failures = 0
            reached = offset
            if offset < size:
                _send_rest(transport, path, source, offset, size, request, on_progress)
            break
        except RowmillError as error:
            if failures >= retries or not _can_go_on(error):
                raise
            retry_after = error.headers.get("retry-after") if isinstance(error, RowmillApiError) else None
            delay = retry_delay(failures, parse_retry_after(retry_after, time.time()), random.random())
            if delay is None:
                raise
            transport.sleep(delay)
            failures += 1
    upload: DatasetUpload = transport.call("getDatasetUpload", request, path=path)
    return upload


def _send_rest(
    transport: Transport,
    path: Mapping[str, str],
    source: Source,
    offset: int,
    size: int,
    request: Mapping[str, Any],
    on_progress: Optional[OnSent],
) -> None:
    headers = {
        **(request.get("headers") or {}),
        "content-type": "application/offset+octet-stream",
        "content-length": str(size - offset),
        "tus-resumable": "1.0.0",
        "upload-offset": str(offset),
        "upload-length": str(size),
    }
    # Never repeated by the transport, which does not know how much of it has arrived.
    once = {**request, "headers": headers, "max_retries": 0}
    content = sending(source, offset, on_progress)
    transport.send("appendResumableContent", once, lambda response: None, path=path, content=content)


def _can_go_on(error: RowmillError) -> bool:
    """Somebody else may be sending: an attempt of ours that the service believes alive."""
    if is_worth_repeating(error, ALWAYS):
        return True
    return isinstance(error, RowmillApiError) and error.code in ("upload_in_progress", "upload_offset_mismatch")


def _read(response: Response) -> DatasetUpload:
    upload: DatasetUpload = json.loads(response.read())
    return upload
