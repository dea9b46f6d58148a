"""What `rowmill.map` returns: the table of a run, read when it is wanted."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from .. import types as t
from .._errors import ExportFailedError
from .._plural import plural
from ..client import Rowmill
from .identity import key_of
from .tables import flat_row

if TYPE_CHECKING:
    import pandas

#: Results of a request: a page is retried after trouble, a stream is not.
PAGE_ROWS = 1000
#: Small tables are exported within this time.
POLL_SECONDS = 0.2


class MapResult:
    """
    The rows of a run with their outputs, in the order of the input. Iterate over it for flat rows, one in memory at a time; or take
    `rows()`, `to_pandas()`, `save("table.parquet")`.
    """

    def __init__(self, client: Rowmill, run: t.Run, rows: Optional[Sequence[Mapping[str, Any]]] = None) -> None:
        #: The client that made it.
        self.client = client
        #: The run as it ended.
        self.run = run
        self._rows = rows
        self._file: Optional[Path] = None

    @property
    def run_id(self) -> str:
        return self.run["id"]

    @property
    def state(self) -> str:
        return self.run["state"]

    @property
    def cost_usd(self) -> Optional[str]:
        """None where a price is not known."""
        return self.run["usage"]["costUsd"]

    def __repr__(self) -> str:
        rows = self.run["rows"]
        return f"<MapResult {self.run_id} {self.state}: {rows['succeeded']} of {plural(rows['total'], 'row')} succeeded>"

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        if self._rows is None:
            return self._exported()
        return self._joined(self._rows)

    def rows(self) -> List[Dict[str, Any]]:
        """Every row: the columns of the input, the fields of the output, `row_state` and `failure_code`."""
        return list(self)

    def results(self) -> Iterator[t.ResolvedResult]:
        """One result for each row, with the output or the failure as the API gives them."""
        return iter(self.client.runs.resolved_results(self.run_id, {"limit": PAGE_ROWS}))

    def failures(self) -> Iterator[t.ResolvedResult]:
        """The rows that failed, with `failure["code"]` and `failure["message"]`."""
        query: t.ListResolvedResultsQuery = {"resultState": "failed", "limit": PAGE_ROWS}
        return iter(self.client.runs.resolved_results(self.run_id, query))

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a DataFrame; needs pandas."""
        from .frames import frame_of_rows

        columns = self.client.datasets.get(self.run["datasetId"])["columns"]
        return frame_of_rows(self, self.output_schema(), cast(List[Mapping[str, Any]], columns), self.run_id)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> t.Export:
        """Writes the table as `.csv`, `.jsonl` or `.parquet`; memory stays flat however large it is."""
        return self.client.exports.save_table(self.run_id, path)

    def output_schema(self) -> Any:
        version = self.client.job_specs.versions.get(self.run["jobSpecId"], self.run["jobSpecVersion"])
        return version["outputSchema"]

    def _joined(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[Dict[str, Any]]:
        for result in self.results():
            yield flat_row(rows[result["index"]], cast(Mapping[str, Any], result))

    def _exported(self) -> Iterator[Dict[str, Any]]:
        if self._file is None:
            self._file = self._download()
        with gzip.open(self._file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def _download(self) -> Path:
        body = {"type": "resolved_results", "layout": "flat", "format": "jsonl", "compression": "gzip"}
        keys = [key_of("table", self.run_id, self.run["finishedAt"]), None]
        ended: Optional[t.Export] = None
        for key in keys:
            # An earlier call has made the file; one that has expired is made again.
            created = self.client.exports.create(self.run_id, cast(t.CreateExportBody, body), idempotency_key=key)
            ended = self.client.exports.wait_for(created["id"], poll_seconds=POLL_SECONDS)
            if ended["status"] == "ready":
                break
        if ended is None or ended["status"] != "ready":
            raise ExportFailedError(cast(t.Export, ended))
        folder = tempfile.TemporaryDirectory(prefix="rowmill-")
        weakref.finalize(self, folder.cleanup)
        path = Path(folder.name) / "table.jsonl.gz"
        self.client.exports.download_to_file(ended["id"], path)
        return path
