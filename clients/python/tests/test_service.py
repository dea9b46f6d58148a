"""The client against the real service: uploads, lists, streams, exports, errors."""

import datetime
import gzip
import io
import threading
import time
from typing import Any, Iterator, List

import rowmill
from rowmill import _upload
from rowmill._resources import datasets
from tests.support import ServiceTest


class Service(ServiceTest):
    def test_a_path_bytes_rows_and_a_stream_become_the_same_dataset(self) -> None:
        path = self.folder() / "cities.csv"
        path.write_text("city,people\nBerlin,3\nRom,2\n")
        progress: List[rowmill.SendProgress] = []
        made = [
            self.client.datasets.upload("a", file=path, on_progress=lambda step: progress.append(step)),  # type: ignore[arg-type]
            self.client.datasets.upload("b", content=path.read_bytes(), format="csv"),
            self.client.datasets.upload("c", content=io.BytesIO(gzip.compress(path.read_bytes())), filename="c.csv.gz"),
            self.client.datasets.upload("d", rows=iter([{"city": "Berlin", "people": 3}, {"city": "Rom", "people": 2}])),
        ]
        self.assertTrue(progress)
        for dataset in made:
            rows = [row["data"] for row in self.client.datasets.rows(dataset["id"]).stream()]
            self.assertEqual(rows, [{"city": "Berlin", "people": 3}, {"city": "Rom", "people": 2}])
        with self.assertRaises(rowmill.DatasetIntakeError) as raised:
            self.client.datasets.upload("e", content='{"a": 1}\n{"a": \n', format="jsonl")
        self.assertEqual(raised.exception.errors[0]["line"], 2)
        self.assertIn("line 2", str(raised.exception))
        with self.assertRaisesRegex(TypeError, "exactly one"):
            self.client.datasets.upload("f")

    def test_resumable_content_is_resumed_where_the_service_has_got_to(self) -> None:
        content = b"".join(b'{"n": %d, "text": "%s"}\n' % (at, b"x" * 100) for at in range(20_000))
        upload = self.client.dataset_uploads.create({"name": "big", "format": "jsonl", "source": {"type": "upload"}})
        calls: List[int] = []
        send_rest = _upload._send_rest

        def breaking(transport: Any, path: Any, source: Any, offset: int, size: int, request: Any, *rest: Any) -> None:
            calls.append(offset)

            def half(start: int) -> Iterator[bytes]:
                for at in range(start, 1_000_000, 100_000):
                    yield content[at : at + 100_000]
                until = time.monotonic() + 60
                while transport.call("getResumableContentOffset", request, path=path)["offsetBytes"] == 0:
                    self.assertLess(time.monotonic(), until, "nothing of the content has arrived")
                    time.sleep(0.05)
                raise rowmill.RowmillConnectionError("the line is cut")

            is_first = len(calls) == 1
            source = source._replace(open=half) if is_first else source
            send_rest(transport, path, source, offset, size, request, *rest)

        _upload._send_rest = breaking
        self.addCleanup(setattr, _upload, "_send_rest", send_rest)
        self.client.dataset_uploads.upload_content(upload["id"], content, resumable=True)
        self.assertEqual(calls[0], 0)
        # How much more has arrived when the line is cut is up to the network; the rest is sent from there.
        self.assertGreater(calls[-1], 0)
        ended = self.client.dataset_uploads.wait_for(upload["id"])
        self.assertEqual((ended["state"], ended["rowsAccepted"]), ("completed", 20_000))
        self.assertGreater(datasets.RESUMABLE_BYTES, len(content))

    def test_a_run_from_its_price_to_its_table_its_events_and_its_retry(self) -> None:
        rows = [{"n": at} for at in range(6)]
        dataset = self.client.datasets.upload("numbers", rows=rows)
        spec = self.client.job_specs.create(
            {"name": "mock", "processor": {"type": "mock", "failEvery": 3, "failUntilRetry": 1}}
        )
        body: Any = {"datasetId": dataset["id"], "jobSpecId": spec["id"], "scope": {"type": "all"}}
        self.assertEqual(self.client.runs.estimate(body)["rows"], 6)
        seen: List[Any] = []
        run = self.client.runs.wait_for(self.client.runs.create(body)["id"], on_progress=seen.append)
        self.assertEqual((run["state"], run["rows"]["failed"]), ("partially_succeeded", 2))
        self.assertEqual(seen[-1]["id"], run["id"])
        self.assertTrue(rowmill.is_terminal(run))
        self.assertEqual([one["index"] for one in self.client.runs.failures(run["id"])], [2, 5])
        group = self.client.runs.failure_groups(run["id"]).first()
        self.assertEqual((group or {}).get("count"), 2)
        events = [event.event for event in self.client.runs.stream_events(run["id"])]
        self.assertIn("run.created", events)
        retry = self.client.runs.wait_for(self.client.runs.retry(run["id"])["id"])
        self.assertEqual((retry["state"], retry["parentRunId"]), ("succeeded", run["id"]))
        outputs = self.client.runs.resolved_results(retry["id"]).stream()
        self.assertEqual([one["output"]["data"]["echo"]["n"] for one in outputs], list(range(6)))
        path = self.folder() / "table.csv"
        export = self.client.exports.save_table(retry["id"], path)
        self.assertEqual(export["rowCount"], 6)
        self.assertEqual(path.read_text().splitlines()[0], '"n","echo","row_state","failure_code"')
        self.client.exports.save_table(retry["id"], path, delimiter=";", byte_order_mark=True)
        self.assertEqual(path.read_bytes().splitlines()[0], b'\xef\xbb\xbf"n";"echo";"row_state";"failure_code"')
        since = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        listed: Any = {"createdAfter": since, "state": ["succeeded", "failed"]}
        self.assertEqual([one["id"] for one in self.client.runs.list(listed)], [retry["id"]])
        counted: Any = {"action": "cancel", "resource": "runs", "filter": {"state": ["running"]}}
        self.assertEqual(self.client.bulk_actions.count(counted)["total"], 0)

    def test_events_of_the_organization_arrive_while_they_happen(self) -> None:
        found: List[Any] = []
        connected = threading.Event()

        def follow() -> None:
            for event in self.client.events.stream(["dataset.*"], on_id=lambda _: connected.set()):
                found.append(event)
                return

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        self.assertTrue(connected.wait(240), "the stream is open")
        dataset = self.client.datasets.upload("news", rows=[{"a": 1}])
        thread.join(240)
        self.assertFalse(thread.is_alive(), "no event has come")
        self.assertEqual(found[0].data["data"]["id"], dataset["id"])

    def test_errors_of_the_service_have_their_code_and_request_id(self) -> None:
        with self.assertRaises(rowmill.RowmillApiError) as raised:
            self.client.runs.get("run_01jd3v8m7qe6t9yb4c2xk5w0hz")
        error = raised.exception
        self.assertEqual((error.status, error.code), (404, "not_found"))
        self.assertRegex(error.request_id or "", "^req_")
        with rowmill.Rowmill(self.organization.url, "rmk_wrong") as stranger:
            with self.assertRaisesRegex(rowmill.RowmillApiError, "401"):
                stranger.me()
        self.assertEqual(self.client.request("get", "/v1/me")["organizationId"], self.client.me()["organizationId"])
