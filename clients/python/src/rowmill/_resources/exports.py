"""Files of results."""

from __future__ import annotations

import functools
import hashlib
import os
import random
import re
import uuid
from pathlib import Path
from typing import IO, Any, Callable, Dict, Iterator, NamedTuple, Optional, Sequence, Union, cast

from .. import types as t
from .._errors import ExportFailedError, RowmillConnectionError, RowmillIntegrityError, RowmillTimeoutError
from .._http import Response
from .._lists import List
from .._retry import backoff
from .._transport import Transport
from .._wait import WATCHED_POLL_SECONDS, waiting_call, waiting_reader, wait_until

ENDED_STATUSES = ("ready", "expired", "failed", "canceled")


class DownloadProgress(NamedTuple):
    bytes_received: int
    bytes_total: Optional[int]


class Exports:
    """Results as JSON Lines, CSV and Parquet."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, run_id: str, body: t.CreateExportBody, **request: Any) -> t.Export:
        return self._transport.call("createExport", request, path={"runId": run_id}, body=body)

    def list(self, query: Optional[t.ListExportsQuery] = None, **request: Any) -> List[t.Export]:
        return List(self._transport, "listExports", request, query=query)

    def list_for_run(
        self, run_id: str, query: Optional[t.ListRunExportsQuery] = None, **request: Any
    ) -> List[t.Export]:
        return List(self._transport, "listRunExports", request, path={"runId": run_id}, query=query)

    def get(self, export_id: str, wait_seconds: int = 0, **request: Any) -> t.Export:
        """With `wait_seconds` (up to 30) the response waits for the export to end."""
        waiting = waiting_call(self._transport, wait_seconds, request)
        return self._transport.call("getExport", path={"exportId": export_id}, **waiting)

    def cancel(self, export_id: str, **request: Any) -> t.Export:
        return self._transport.call("cancelExport", request, path={"exportId": export_id})

    def wait_for(
        self,
        export_id: str,
        on_progress: Optional[Callable[[t.Export], None]] = None,
        timeout: Optional[float] = None,
        poll_seconds: float = WATCHED_POLL_SECONDS,
    ) -> t.Export:
        """The export that is no longer worked on: look at its `status`."""
        read = waiting_reader(functools.partial(self.get, export_id), poll_seconds, timeout)
        what = f"export {export_id}"
        return wait_until(self._transport, what, read, _has_ended, on_progress, timeout, poll_seconds)

    def save_table(
        self,
        run_id: str,
        path: Union[str, "os.PathLike[str]"],
        format: Optional[str] = None,
        columns: Optional[Sequence[str]] = None,
        spreadsheet: Optional[bool] = None,
        delimiter: Optional[str] = None,
        byte_order_mark: Optional[bool] = None,
        **request: Any,
    ) -> t.Export:
        """
        Writes one table of a run: a line for each row, also of those that failed, with the columns of the input, the fields of the
        output, `row_state` and `failure_code`. The name of the path says the format: `.csv`, `.jsonl`, `.parquet`. An export that
        ends without a file is an ExportFailedError. Excel of a system whose decimal sign is a comma opens a `.csv` with `delimiter=";"`
        and `byte_order_mark=True`.
        """
        body: Dict[str, Any] = {
            "type": "resolved_results",
            "layout": "flat",
            "format": format or _format_of(os.fspath(path)),
            **({} if columns is None else {"columns": list(columns)}),
            **({} if spreadsheet is None else {"spreadsheet": spreadsheet}),
            **({} if delimiter is None else {"delimiter": delimiter}),
            **({} if byte_order_mark is None else {"byteOrderMark": byte_order_mark}),
        }
        created = self.create(run_id, cast(t.CreateExportBody, body), **request)
        ended = self.wait_for(created["id"])
        if ended["status"] != "ready":
            raise ExportFailedError(ended)
        request.pop("idempotency_key", None)
        return self.download_to_file(ended["id"], path, **request)

    def download(self, export_id: str, from_byte: int = 0, **request: Any) -> Iterator[bytes]:
        """The bytes of the file. A connection that breaks off is an error."""
        with self._open(export_id, from_byte, **request) as response:
            yield from response.chunks()

    def download_to_file(
        self,
        export_id: str,
        path: Union[str, "os.PathLike[str]"],
        on_progress: Optional[Callable[[DownloadProgress], None]] = None,
        **request: Any,
    ) -> t.Export:
        """
        Writes the file and compares its SHA-256. A connection that breaks is resumed where it broke; the path has its name only
        when the file is whole.
        """
        export = self.get(export_id, **request)
        target = Path(path)
        # Two downloads of one path do not meet.
        part = target.with_name(f"{target.name}.{uuid.uuid4()}.part")
        try:
            with part.open("xb") as file:
                self._fill(file, export, on_progress, request)
                file.flush()
                os.fsync(file.fileno())
            digest = _sha256_of(part)
            if digest != export["sha256"]:
                raise RowmillIntegrityError(
                    f"export {export_id}: expected SHA-256 {export['sha256'] or '(none)'}, received {digest}"
                )
            os.replace(part, target)
        finally:
            if part.exists():
                part.unlink()
        return export

    def _fill(
        self,
        file: IO[bytes],
        export: t.Export,
        on_progress: Optional[Callable[[DownloadProgress], None]],
        request: Any,
    ) -> None:
        retries = request.get("max_retries")
        retries = self._transport.max_retries if retries is None else retries
        failures = 0
        furthest = 0
        while True:
            try:
                with self._open(export["id"], file.tell(), **request) as response:
                    if response.status != 206:
                        file.seek(0)
                        file.truncate()
                    for chunk in response.chunks():
                        file.write(chunk)
                        if on_progress is not None:
                            on_progress(DownloadProgress(file.tell(), export["sizeBytes"]))
                return
            except (RowmillConnectionError, RowmillTimeoutError):
                if file.tell() == export["sizeBytes"]:
                    return
                # An attempt that came further than any before does not count.
                failures = 1 if file.tell() > furthest else failures + 1
                furthest = max(furthest, file.tell())
                if failures > retries:
                    raise
                self._transport.sleep(backoff(failures - 1, random.random()))

    def _open(self, export_id: str, from_byte: int, **request: Any) -> Response:
        headers = dict(request.pop("headers", None) or {})
        if from_byte > 0:
            headers["range"] = f"bytes={from_byte}-"
        return self._transport.send(
            "downloadExport",
            {**request, "headers": headers},
            lambda opened: opened,
            path={"exportId": export_id},
            accept="*/*",
            is_stream=True,
        )


def _has_ended(export: t.Export) -> bool:
    return export["status"] in ENDED_STATUSES


def _sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for chunk in iter(lambda: file.read(1024 * 1024), b""):
            digest.update(chunk)
    return digest.hexdigest()


def _format_of(path: str) -> str:
    if path.endswith(".parquet"):
        return "parquet"
    return "jsonl" if re.search(r"\.(jsonl|ndjson)$", path) else "csv"
