"""Attempts, pages, streams and webhooks, against a service that does what a test says."""

import base64
import datetime
import decimal
import errno
import hashlib
import hmac
import http.client
import json
import pickle
import re
import socket
import tempfile
import threading
import time
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, List

import rowmill
from rowmill._generated.operations import OPERATIONS
from rowmill._http import Pool
from rowmill._kept import KeptSource
from rowmill._retry import retry_delay
from tests.support import Reply, Server

RUN = {"id": "run_1", "state": "running"}
#: More of content that is read once than two of them is not kept.
LARGE = b"x" * (3 * 1024 * 1024 // 2)
UPLOAD = "/v1/dataset-uploads/upl_1"


def failure(status: int, code: str, **headers: str) -> Reply:
    error = {"code": code, "message": f"{code}!", "param": None, "details": [], "retryable": False, "requestId": "req_1"}
    return Reply(status, {"error": error}, headers)


class Attempts(unittest.TestCase):
    def client(self, *replies: Reply, **options: Any) -> rowmill.Rowmill:
        self.server = Server(self, lambda seen, number: replies[min(number, len(replies) - 1)])
        self.waits: List[float] = []
        client = rowmill.Rowmill(self.server.url + "/base/", "rmk_1", sleep=self.waits.append, **options)
        self.addCleanup(client.close)
        return client

    def test_a_post_keeps_its_idempotency_key_over_all_attempts(self) -> None:
        broken = Reply(201, b'{"id": "run', breaks=True)
        client = self.client(failure(503, "service_unavailable"), broken, Reply(201, RUN))
        self.assertEqual(client.runs.pause("run_1"), RUN)
        keys = {seen.headers["idempotency-key"] for seen in self.server.seen}
        self.assertEqual(len(self.server.seen), 3)
        self.assertEqual(len(keys), 1)
        self.assertEqual(self.server.seen[0].path, "/base/v1/runs/run_1/pause")
        client.runs.pause("run_1", idempotency_key="mine", headers={"X-Team": "a"})
        self.assertEqual(self.server.seen[3].headers["idempotency-key"], "mine")
        self.assertEqual(self.server.seen[3].headers["x-team"], "a")
        client.runs.pause("run_1")
        self.assertNotIn(self.server.seen[4].headers["idempotency-key"], keys)

    def test_retry_after_is_waited_for_unless_it_is_long(self) -> None:
        client = self.client(failure(429, "rate_limited", **{"retry-after": "7"}), Reply(200, RUN))
        client.runs.get("run_1")
        self.assertEqual(len(self.waits), 1)
        self.assertTrue(7 <= self.waits[0] <= 7.5)
        # Many calls that were refused at once are spread further after each refusal.
        self.assertEqual([retry_delay(attempt, 1.0, 1.0) for attempt in (0, 3, 9)], [1.5, 5.0, 9.0])
        client = self.client(failure(429, "rate_limited", **{"retry-after": "121"}))
        with self.assertRaises(rowmill.RowmillApiError):
            client.runs.get("run_1")
        self.assertEqual(self.waits, [])

    def test_errors_have_code_status_and_request_id_and_are_not_repeated_without_reason(self) -> None:
        client = self.client(failure(404, "not_found"))
        with self.assertRaises(rowmill.RowmillApiError) as raised:
            client.runs.get("run_1")
        error = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((error.code, error.status, error.request_id), ("not_found", 404, "req_1"))
        self.assertEqual(len(self.server.seen), 1)
        client = self.client(Reply(502, b"<html>"), max_retries=1)
        with self.assertRaisesRegex(rowmill.RowmillApiError, "502 unexpected_answer"):
            client.runs.get("run_1")
        self.assertEqual(len(self.server.seen), 2)
        with self.assertRaisesRegex(rowmill.RowmillApiError, "responds with a redirect: set url to http://127.0.0.1:1 "):
            self.client(Reply(307, b"", {"location": "http://127.0.0.1:1/"})).runs.pause("run_1")

    def test_a_redirect_to_an_address_that_gets_no_key_is_named(self) -> None:
        secure = Server(self, lambda seen, number: failure(401, "authentication_required"))
        client = self.client(Reply(301, b"", {"location": f"{secure.url}/v1/runs/run_1"}))
        with self.assertRaisesRegex(rowmill.RowmillApiError, f"redirects to {secure.url}, which .* set url to {secure.url} "):
            client.runs.get("run_1")

    def test_a_patch_is_repeated_only_where_nothing_was_done(self) -> None:
        client = self.client(failure(503, "service_unavailable"), failure(500, "internal_error"), Reply(200, RUN))
        with self.assertRaises(rowmill.RowmillApiError):
            client.runs.update("run_1", {"name": "a"})
        self.assertEqual(len(self.server.seen), 2)

    def test_a_change_is_repeated_without_a_way_to_the_service_and_not_where_a_connection_has_lost_it(self) -> None:
        for broken, calls in (("connect", 7), ("getresponse", 1)):
            client = self.client(Reply(200, RUN))
            lost = OSError(errno.EHOSTUNREACH, "No route to host")
            with unittest.mock.patch.object(http.client.HTTPConnection, broken, side_effect=lost) as made:
                with self.assertRaises(rowmill.RowmillConnectionError):
                    client.runs.update("run_1", {"name": "a"})
            self.assertEqual(made.call_count, calls, broken)

    def test_a_delete_whose_response_was_lost_has_succeeded(self) -> None:
        lost = self.client(failure(504, "x"), failure(404, "not_found"))
        lost.runs.delete("run_1")
        with self.assertRaises(rowmill.RowmillApiError):
            self.client(failure(404, "not_found")).runs.delete("run_1")

    def test_no_service_is_a_connection_error_after_its_retries(self) -> None:
        waits: List[float] = []
        client = rowmill.Rowmill("http://127.0.0.1:9", "rmk_1", sleep=waits.append)
        with self.assertRaises(rowmill.RowmillConnectionError):
            client.runs.get("run_1")
        self.assertEqual(len(waits), 6)
        for attempt, wait in enumerate(waits):
            self.assertTrue(0 <= wait <= 0.5 * 2**attempt)

    def test_a_silent_service_is_a_timeout(self) -> None:
        def respond(seen: Any, number: int) -> Reply:
            self.released.wait(10)
            return Reply(200, RUN)

        self.released = threading.Event()
        server = Server(self, respond)
        client = rowmill.Rowmill(server.url, "rmk_1", timeout=0.05, max_retries=0)
        with self.assertRaises(rowmill.RowmillTimeoutError):
            client.runs.get("run_1")
        self.released.set()

    def test_content_that_cannot_be_read_again_is_sent_once_and_its_own_error_is_raised(self) -> None:
        client = self.client(failure(503, "service_unavailable"))
        with self.assertRaises(rowmill.RowmillApiError):
            client.dataset_uploads.upload_content("upl_1", iter([LARGE, b"", LARGE, LARGE]))
        self.assertEqual([seen.body for seen in self.server.seen], [LARGE * 3])
        with self.assertRaises(rowmill.RowmillApiError):
            client.dataset_uploads.upload_content("upl_1", b"ab")
        self.assertEqual([seen.body for seen in self.server.seen[1:]], [b"ab"] * 7)

        def broken() -> Any:
            yield b"a"
            raise OSError("the disk is gone")

        with self.assertRaisesRegex(OSError, "the disk is gone"):
            client.dataset_uploads.upload_content("upl_1", broken())

    def test_rows_of_a_generator_are_sent_again_where_the_service_refuses_them_and_each_is_made_once(self) -> None:
        made = Reply(201, {"id": "upl_1", "state": "awaiting_content"})
        done = Reply(200, {"id": "upl_1", "state": "completed", "datasetId": "ds_1", "errors": []})
        numbers = iter(range(5))
        client = self.client(made, failure(429, "rate_limited"), failure(503, "service_unavailable"), done)
        self.assertEqual(client.datasets.upload("a", rows=({"id": number} for number in numbers))["id"], "upl_1")
        bodies = [seen.body for seen in self.server.seen if seen.method == "PUT"]
        self.assertEqual(bodies, [b"".join(b'{"id":%d}\n' % number for number in range(5))] * 3)

    def test_a_large_source_is_sent_from_its_beginning_where_the_service_refuses_it_before_much_of_it_was_taken(self) -> None:
        refused = threading.Event()
        arrived = bytearray()

        def serve(listening: socket.socket) -> None:
            connection, _ = listening.accept()
            with connection, connection.makefile("rb") as stream:
                while stream.readline().strip():
                    pass
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}")
                refused.set()
                # As the service does, which reads for a while what comes all the same.
                while stream.read(65536):
                    pass
            connection, _ = listening.accept()
            with connection, connection.makefile("rb") as stream:
                while stream.readline().strip():
                    pass
                while True:
                    size = int(stream.readline(), 16)
                    arrived.extend(stream.read(size))
                    stream.readline()
                    if size == 0:
                        break
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

        def chunks() -> Iterator[bytes]:
            for number in range(20):
                if number == 2:
                    self.assertTrue(refused.wait(60))
                yield bytes([number]) * 1024 * 1024

        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=serve, args=(listening,), daemon=True)
            thread.start()
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            with rowmill.Rowmill(url, "rmk_1", sleep=lambda seconds: None) as client:
                client.dataset_uploads.upload_content("upl_1", chunks())
            thread.join(60)
        self.assertEqual(hashlib.sha256(arrived).digest(), hashlib.sha256(b"".join(chunks())).digest())

    def test_content_of_which_too_much_was_taken_is_not_kept_and_a_source_that_has_failed_is_not_read_again(self) -> None:
        kept = KeptSource(lambda: iter([b"a", b"b"]))
        self.assertEqual(next(kept.open(0)), b"a")
        self.assertEqual([list(kept.open(0)) for _ in range(2)], [[b"a", b"b"]] * 2)
        for chunks in ([LARGE] * 3, [b"a"] * 1_001):
            kept = KeptSource(lambda chunks=chunks: iter(chunks))
            self.assertEqual(list(kept.open(0)), chunks)
            self.assertFalse(kept.is_kept)
            with self.assertRaisesRegex(ValueError, "only once"):
                kept.open(0)

        def broken() -> Any:
            yield b"a"
            raise rowmill.RowmillConnectionError("of another service")

        kept = KeptSource(broken)
        with self.assertRaises(rowmill.RowmillConnectionError):
            list(kept.open(0))
        self.assertFalse(kept.is_kept)

    def test_content_that_arrived_and_whose_intake_failed_has_the_error_of_the_intake(self) -> None:
        made = Reply(201, {"id": "upl_1", "state": "awaiting_content"})
        lost = Reply(200, b'{"id"', breaks=True)
        errors = [{"line": 1, "code": "invalid_csv", "message": "no CSV"}]
        failed = Reply(200, {"id": "upl_1", "state": "failed", "datasetId": None, "errors": errors})
        taken = failure(409, "invalid_state")
        for answers in ((lost, failed), (lost, failure(500, "internal_error"), failure(500, "internal_error"), taken, failed)):
            client = self.client(made, *answers, max_retries=0)
            with self.assertRaisesRegex(rowmill.DatasetIntakeError, "line 1: no CSV"):
                client.datasets.upload("a", content=b"x")
        client = self.client(made, lost, taken, failed)
        with self.assertRaisesRegex(rowmill.DatasetIntakeError, "line 1: no CSV"):
            client.datasets.upload("a", content=b"x")
        self.assertEqual([seen.method for seen in self.server.seen], ["POST", "PUT", "PUT", "GET", "GET"])

    def test_values_of_a_body_are_sent_as_the_api_takes_them(self) -> None:
        client = self.client(Reply(201, RUN))
        zone = datetime.timezone(datetime.timedelta(hours=1))
        deadline = datetime.datetime(2026, 11, 27, 10, 30, tzinfo=zone)
        budget = {"maxCostUsd": decimal.Decimal("1.50"), "onExceeded": "pause"}
        client.runs.create({"deadlineAt": deadline, "budget": budget, "scope": {"seed": 2**60, "to": (1,)}})
        self.assertEqual(
            json.loads(self.server.seen[0].body),
            {
                "deadlineAt": "2026-11-27T09:30:00.000Z",
                "budget": {"maxCostUsd": "1.50", "onExceeded": "pause"},
                "scope": {"seed": 2**60, "to": [1]},
            },
        )

    def test_values_of_a_body_without_json_are_refused_with_their_place(self) -> None:
        client = self.client(Reply(201, RUN))
        circle: Dict[str, Any] = {}
        circle["a"] = circle
        for value, message in (
            (float("nan"), "a missing value has no JSON form here: leave it out, or send None"),
            (float("inf"), "infinity has no JSON form: replace it"),
            (b"x", "bytes have no JSON form: decode them, or encode them in base64"),
            ({1, 2}, "a value of type set has no JSON form: convert it first"),
        ):
            with self.assertRaisesRegex(ValueError, re.escape(f"/metadata/list/1: {message}")):
                client.runs.create({"metadata": {"list": [1, value]}})
        for body in ({"scope": circle}, {"scope": {1.5: "a"}}, {"name": "\ud800"}):
            with self.assertRaisesRegex(ValueError, "nested deeper|names of columns and members are texts|not Unicode"):
                client.runs.create(body)
        self.assertEqual(self.server.seen, [])
        client.runs.create({"metadata": {2026: "a"}})
        self.assertEqual(json.loads(self.server.seen[0].body), {"metadata": {"2026": "a"}})

    def test_rows_of_a_body_are_those_of_an_upload(self) -> None:
        client = self.client(Reply(200, {}))
        rows = [{"at": datetime.date(2026, 1, 2), "id": 2**53, "n": float("nan")}]
        client.job_specs.test("spec_1", {"rows": rows})
        client.dataset_uploads.create({"name": "a", "source": {"type": "inline", "rows": rows}})
        sent = [{"at": "2026-01-02", "id": "9007199254740992", "n": None}]
        self.assertEqual(json.loads(self.server.seen[0].body), {"rows": sent})
        self.assertEqual(json.loads(self.server.seen[1].body)["source"]["rows"], sent)
        with self.assertRaisesRegex(ValueError, "row 1, column 'b': bytes have no JSON form"):
            client.job_specs.test("spec_1", {"rows": [{}, {"b": b"x"}]})

    def test_rows_that_are_waited_for_keep_the_connection(self) -> None:
        client = self.client(Reply(200, {"id": "upl_1", "state": "completed", "datasetId": "ds_1", "errors": []}))
        filled = threading.Event()
        threads = set()

        def rows() -> Iterator[Dict[str, int]]:
            threads.add(threading.get_ident())
            yield {"a": 1}
            self.assertTrue(filled.wait(60))
            yield {"a": 2}

        send = Pool.send

        def watched(pool: Pool, method: str, url: str, headers: Any, body: Any, timeout: Any) -> Any:
            def chunks() -> Iterator[bytes]:
                for chunk in body:
                    yield chunk
                    if chunk == b" ":
                        filled.set()

            return send(pool, method, url, headers, chunks() if method == "PUT" else body, timeout)

        with unittest.mock.patch("rowmill._pauses.KEEP_ALIVE", 0.01), unittest.mock.patch(
            "rowmill._content.KEEP_ALIVE", 0
        ), unittest.mock.patch.object(Pool, "send", watched):
            client.datasets.upload("a", rows=rows())
        put = [seen for seen in self.server.seen if seen.method == "PUT"]
        self.assertEqual([json.loads(line) for line in put[0].body.splitlines()], [{"a": 1}, {"a": 2}])
        self.assertIn(b" ", put[0].body)
        # A cursor of SQLite may be used in no other thread.
        self.assertEqual(threads, {threading.get_ident()})

    def test_rows_that_fail_in_the_middle_cancel_their_upload(self) -> None:
        def failing() -> Iterator[Dict[str, str]]:
            yield {"a": "x" * 300_000}
            raise OSError("the database is gone")

        client = self.client(Reply(200, {"id": "upl_1", "state": "awaiting_content"}))
        with self.assertRaisesRegex(OSError, "the database is gone"):
            client.datasets.upload("a", rows=failing())
        self.assertEqual([seen.path.split("/")[-1] for seen in self.server.seen], ["dataset-uploads", "cancel"])

    def test_a_connection_begins_with_the_first_bytes_of_its_content(self) -> None:
        client = self.client(Reply(200, {"id": "upl_1", "state": "processing"}))
        events: List[str] = []

        def late() -> Iterator[bytes]:
            events.append("first bytes")
            yield b"x"

        send = Pool.send

        def watched(*given: Any) -> Any:
            events.append(given[1])
            return send(*given)

        with unittest.mock.patch.object(Pool, "send", watched):
            client.dataset_uploads.upload_content("upl_1", late())
        self.assertEqual(events, ["first bytes", "PUT"])
        self.assertEqual(self.server.seen[0].body, b"x")

    def test_an_upload_of_its_own_whose_content_is_not_taken_is_canceled(self) -> None:
        made = Reply(201, {"id": "upl_1", "state": "awaiting_content"})
        refused, broken = failure(409, "limit_reached"), failure(500, "internal_error")
        for answer, options, is_canceled in ((refused, {}, True), (refused, {"idempotency_key": "mine"}, False), (broken, {}, True)):
            client = self.client(made, answer, made, max_retries=0)
            with self.assertRaises(rowmill.RowmillApiError) as raised:
                client.datasets.upload("a", content=iter([b"x\n", b"1\n"]), **options)
            self.assertEqual(raised.exception.status, answer.status)
            self.assertEqual(self.server.seen[-1].path.endswith("/upl_1/cancel"), is_canceled)

        def failing() -> Any:
            yield b"x\n"
            raise OSError("the disk is gone")

        client = self.client(made)
        with self.assertRaisesRegex(OSError, "the disk is gone"):
            client.datasets.upload("a", content=failing())
        self.assertTrue(self.server.seen[-1].path.endswith("/upl_1/cancel"))

    def test_content_that_is_read_once_is_taken_where_it_arrived_and_else_the_error_has_the_reason(self) -> None:
        made = Reply(201, {"id": "upl_1", "state": "awaiting_content"})
        lost = Reply(200, b'{"id"', breaks=True)
        done = Reply(200, {"id": "upl_1", "state": "completed", "datasetId": "ds_1", "errors": []})
        client = self.client(made, lost, failure(503, "service_unavailable"), done)
        self.assertEqual(client.datasets.upload("a", content=iter([LARGE] * 3))["id"], "upl_1")
        self.assertEqual([seen.method for seen in self.server.seen], ["POST", "PUT", "GET", "GET", "GET", "GET"])
        client = self.client(made, lost, made)
        with self.assertRaisesRegex(rowmill.RowmillConnectionError, "read only once, and was not sent again: give a file"):
            client.datasets.upload("a", content=iter([LARGE] * 3))
        self.assertEqual([seen.method for seen in self.server.seen], ["POST", "PUT", "GET", "POST"])
        self.assertTrue(self.server.seen[-1].path.endswith("/upl_1/cancel"))

    def test_a_change_is_repeated_where_nothing_listens(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            waits: List[float] = []
            # It is bound, and does not listen.
            client = rowmill.Rowmill(f"http://127.0.0.1:{taken.getsockname()[1]}", "rmk_1", sleep=waits.append)
            with self.assertRaisesRegex(rowmill.RowmillConnectionError, "refused"):
                client.runs.update("run_1", {"name": "a"})
        self.assertEqual(len(waits), 6)
        # Half of each wait is random: an outage of so many seconds ends before the last attempt, whatever comes of it.
        self.assertGreaterEqual(sum(waits), 11.75)

    def test_arguments_that_would_name_something_else_are_refused(self) -> None:
        client = self.client(Reply(200, RUN))
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.runs.get(wrong)
        client.runs.get("a/b?c")
        self.assertEqual(self.server.seen[0].path, "/base/v1/runs/a%2Fb%3Fc")
        with self.assertRaises(TypeError):
            client.runs.get("run_1", idempotencyKey="x")
        for url in ("ftp://x", "http://a:b@x", "x"):
            with self.assertRaises(ValueError):
                rowmill.Rowmill(url, "rmk_1")
        with self.assertRaisesRegex(ValueError, "visible ASCII") as raised:
            rowmill.Rowmill("http://x", "rmk_secret\n")
        self.assertNotIn("secret", str(raised.exception))

    def test_every_operation_has_a_method(self) -> None:
        # The description is for programs that make clients; sessions are for browsers; resumable content is one method.
        without = {
            "getOpenApi", "createSession", "getSession", "deleteSession", "getResumableUploadSupport", "beginResumableContent",
        }  # fmt: skip
        source = "".join(path.read_text("utf-8") for path in Path(rowmill.__file__).parent.rglob("*.py") if "_generated" not in path.parts)
        used = set(re.findall(r'"([a-z][A-Za-z]+)"', source))
        self.assertEqual(set(OPERATIONS) - used, without)


class Waiting(unittest.TestCase):
    def test_each_request_waits_in_the_service(self) -> None:
        states = ["processing", "completed"]
        server = Server(self, lambda seen, number: Reply(200, {"id": "upl_1", "state": states[number]}))
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=lambda seconds: None)
        self.assertEqual(client.dataset_uploads.wait_for("upl_1")["state"], "completed")
        self.assertEqual([seen.path for seen in server.seen], [f"{UPLOAD}?waitSeconds=1"] * 2)

    def test_an_export_and_a_bulk_action_are_waited_for_in_the_service(self) -> None:
        ended = {"status": "ready", "finishedAt": "2026-11-27T09:00:00.000Z"}
        server = Server(self, lambda seen, number: Reply(200, ended if number % 2 else {"status": "running", "finishedAt": None}))
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=lambda seconds: None)
        self.assertEqual(client.exports.wait_for("exp_1")["status"], "ready")
        self.assertEqual(client.bulk_actions.wait_for("bulk_1"), ended)
        paths = ["/v1/exports/exp_1", "/v1/bulk-actions/bulk_1"]
        self.assertEqual([seen.path for seen in server.seen], [f"{path}?waitSeconds=1" for path in paths for _ in range(2)])

    def test_a_wait_outlives_a_service_that_is_away_for_a_minute(self) -> None:
        waits: List[float] = []
        server = Server(self, lambda seen, number: failure(503, "service_unavailable") if number < 24 else Reply(200, {**RUN, "state": "succeeded"}))
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=waits.append)
        self.assertEqual(client.runs.wait_for("run_1")["state"], "succeeded")
        self.assertEqual(len(waits), 24)

    def test_a_wait_with_a_timeout_does_not_go_on_behind_it(self) -> None:
        waits: List[float] = []
        server = Server(self, lambda seen, number: failure(503, "service_unavailable"))
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=waits.append)
        with self.assertRaisesRegex(rowmill.RowmillApiError, "service_unavailable"):
            client.runs.wait_for("run_1", timeout=14)
        self.assertEqual(len(waits), 4)

    def test_an_older_service_is_asked_without_waiting(self) -> None:
        def respond(seen: Any, number: int) -> Reply:
            if number == 0:
                error = {"code": "invalid_parameter", "param": "waitSeconds", "message": "It takes none."}
                return Reply(400, {"error": error})
            return Reply(200, {"id": "upl_1", "state": "processing" if number == 1 else "failed"})

        server = Server(self, respond)
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=lambda seconds: None)
        self.assertEqual(client.dataset_uploads.wait_for("upl_1")["state"], "failed")
        self.assertEqual([seen.path for seen in server.seen], [f"{UPLOAD}?waitSeconds=1", UPLOAD, UPLOAD])


class Reading(unittest.TestCase):
    def test_pages_are_walked_and_a_repeated_cursor_is_an_error(self) -> None:
        pages = [{"data": [1, 2], "nextCursor": "a"}, {"data": [], "nextCursor": "b"}, {"data": [3], "nextCursor": None}]
        server = Server(self, lambda seen, number: Reply(200, pages[number % 3]))
        client = rowmill.Rowmill(server.url, "rmk_1")
        query: Any = {"state": ["failed", "expired"], "metadata": {"a b": "c"}}
        self.assertEqual(list(client.runs.list(query)), [1, 2, 3])
        self.assertEqual(server.seen[0].path, "/v1/runs?limit=200&state=failed%2Cexpired&metadata%5Ba+b%5D=c")
        self.assertTrue(server.seen[1].path.endswith("&cursor=a"))
        page = client.runs.list({"limit": 2}).page()
        self.assertEqual((page.data, page.has_next_page), ([1, 2], True))
        same = Server(self, lambda seen, number: Reply(200, {"data": [1], "nextCursor": "a"}))
        with self.assertRaisesRegex(rowmill.RowmillError, "same cursor twice"):
            list(rowmill.Rowmill(same.url, "rmk_1").runs.list())

    def test_a_list_from_another_service_is_an_api_error(self) -> None:
        for body in ([1], {"data": None}, {"items": []}, "ok"):
            server = Server(self, lambda seen, number, body=body: Reply(200, body))
            with self.assertRaises(rowmill.RowmillApiError) as raised:
                list(rowmill.Rowmill(server.url, "rmk_1").runs.list())
            self.assertEqual(raised.exception.code, "unexpected_answer")

    def test_a_stream_that_breaks_off_raises(self) -> None:
        lines = '{"a": "é"}\n\n{"a": 2}\n'.encode()
        whole = Server(self, lambda seen, number: Reply(200, lines))
        rows: Any = rowmill.Rowmill(whole.url, "rmk_1").runs.outputs("run_1").stream()
        self.assertEqual(list(rows), [{"a": "é"}, {"a": 2}])
        self.assertEqual(whole.seen[0].headers["accept"], "application/x-ndjson")
        for body, breaks in ((lines + b'{"a', False), (lines, True)):
            server = Server(self, lambda seen, number, body=body, breaks=breaks: Reply(200, body, breaks=breaks))
            found = []
            with self.assertRaises(rowmill.RowmillConnectionError):
                for row in rowmill.Rowmill(server.url, "rmk_1").runs.outputs("run_1").stream():
                    found.append(row)
            self.assertEqual(found, [{"a": "é"}, {"a": 2}])

    def test_events_are_followed_over_broken_connections(self) -> None:
        bodies = [
            b": hi\n\nid: 1\nevent: run.created\ndata: {\"n\": 1}\n\nid: 2\n\n",
            b"id: 3\nevent: a\ndata: {\ndata: \"n\": 3}\n\nid: 4\ndata: {",
            b"id: 4\nevent: b\ndata: 4\n\n",
        ]
        server = Server(self, lambda seen, number: Reply(200, bodies[number]))
        lost: List[Any] = []
        found = []
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=lambda _: None)
        for event in client.events.follow(["run.*", "a"], on_disconnected=lost.append):
            found.append(event)
            if len(found) == 3:
                break
        self.assertEqual([event.id for event in found], ["1", "3", "4"])
        self.assertEqual([event.data for event in found], [{"n": 1}, {"n": 3}, 4])
        self.assertEqual([seen.headers.get("last-event-id") for seen in server.seen], [None, "2", "3"])
        self.assertEqual(server.seen[0].path, "/v1/events/stream?type=run.%2A%2Ca")
        self.assertEqual(len(lost), 1)

    def test_a_connection_without_an_event_is_made_again_after_a_growing_wait(self) -> None:
        event = b"id: 1\ndata: 1\n\n"
        bodies = [b"", b": hello\n\n", b"", event, event]
        server = Server(self, lambda seen, number: Reply(200, bodies[number]))
        waits: List[float] = []
        connected: List[int] = []
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=waits.append)
        with unittest.mock.patch("random.random", return_value=1.0):
            following = client.events.follow(on_connected=lambda: connected.append(len(server.seen)))
            self.assertEqual([next(following).data, next(following).data], [1, 1])
        self.assertEqual(waits, [0.5, 1.0, 2.0, 0.0])
        self.assertEqual(connected, [4])

    def test_a_download_is_resumed_and_compared(self) -> None:
        content = bytes(range(256)) * 2000
        export = {"id": "exp_1", "status": "ready", "sizeBytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}

        def respond(seen: Any, number: int) -> Reply:
            if not seen.path.endswith("/download"):
                return Reply(200, export)
            wanted = seen.headers.get("range")
            if wanted is None:
                return Reply(200, content[:1000], breaks=True)
            start = int(wanted[6:-1])
            return Reply(206, content[start:])

        server = Server(self, respond)
        client = rowmill.Rowmill(server.url, "rmk_1", sleep=lambda _: None)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.csv"
            client.exports.download_to_file("exp_1", path)
            self.assertEqual(path.read_bytes(), content)
            self.assertEqual(server.seen[-1].headers["range"], "bytes=1000-")
            export["sha256"] = "0" * 64
            with self.assertRaises(rowmill.RowmillIntegrityError):
                client.exports.download_to_file("exp_1", Path(folder) / "b.csv")
            self.assertEqual([found.name for found in Path(folder).iterdir()], ["a.csv"])

    def test_a_redirected_download_does_not_carry_the_key_elsewhere(self) -> None:
        store = Server(self, lambda seen, number: Reply(200, b"bytes"))
        server = Server(self, lambda seen, number: Reply(302, b"", {"location": f"{store.url}/file?signature=1"}))
        client = rowmill.Rowmill(server.url, "rmk_1")
        self.assertEqual(b"".join(client.exports.download("exp_1")), b"bytes")
        self.assertNotIn("authorization", store.seen[0].headers)

    def test_threads_share_a_client(self) -> None:
        server = Server(self, lambda seen, number: Reply(200, {"id": seen.path}))
        client = rowmill.Rowmill(server.url, "rmk_1")
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda at: client.runs.get(f"run_{at}")["id"], range(100)))
        self.assertEqual(found, [f"/v1/runs/run_{at}" for at in range(100)])


SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OTHER = "whsec_" + base64.b64encode(b"another secret of the endpoint!!").decode()
NOW = 1_800_000_000
BODY = json.dumps({"id": "evt_1", "type": "run.succeeded", "data": {"object": "run", "name": "é"}}).encode()


def own(secret: str = SECRET, at: int = NOW, body: bytes = BODY, prefix: str = "Service") -> Any:
    signature = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return {f"{prefix}-Webhook-Signature": f"v1={'0' * 64},v1={signature}", f"{prefix}-Webhook-Timestamp": str(at)}


def standard(secret: str = SECRET, at: int = NOW, body: bytes = BODY) -> Any:
    key = base64.b64decode(secret[6:])
    made = base64.b64encode(hmac.new(key, f"evt_1.{at}.".encode() + body, hashlib.sha256).digest()).decode()
    return [("Webhook-Id", "evt_1"), ("Webhook-Timestamp", str(at)), ("Webhook-Signature", f"v1,{made}")]


class Webhooks(unittest.TestCase):
    def reason(self, **options: Any) -> str:
        given = {"payload": BODY, "headers": own(), "secret": SECRET, "now": NOW, **options}
        with self.assertRaises(rowmill.WebhookVerificationError) as raised:
            rowmill.verify_webhook(**given)
        self.assertNotIn("whsec_MD", str(raised.exception))
        return raised.exception.reason

    def test_a_genuine_delivery_is_its_event(self) -> None:
        for headers in (own(), standard(), {**own(OTHER), **dict(standard())}):
            event = rowmill.verify_webhook(BODY, headers, secret=SECRET, now=NOW)
            self.assertEqual(event["data"]["name"], "é")
        rowmill.verify_webhook(BODY.decode(), own(OTHER), secrets=[SECRET, OTHER], now=NOW + 300)
        rowmill.verify_webhook(BODY, own(prefix="Acme"), secret=SECRET, header_prefix="Acme", now=NOW - 300)
        rowmill.verify_webhook(BODY, own(at=int(time.time())), secret=SECRET)

    def test_headers_are_those_of_wsgi_and_asgi_too(self) -> None:
        environ = {"wsgi.version": (1, 0), "wsgi.multithread": True, "CONTENT_LENGTH": str(len(BODY))}
        asgi = [(b"host", b"hooks.example.com")]
        for name, value in dict(standard()).items():
            environ["HTTP_" + name.upper().replace("-", "_")] = value
            asgi.append((name.lower().encode(), value.encode()))
        for headers in (environ, asgi):
            self.assertEqual(rowmill.verify_webhook(BODY, headers, secret=SECRET, now=NOW)["data"]["name"], "é")
            self.assertEqual(self.reason(headers=headers, secret=OTHER), "signature_mismatch")
        self.assertEqual(self.reason(headers={"wsgi.version": (1, 0)}), "missing_headers")

    def test_every_other_one_is_refused_with_its_reason(self) -> None:
        self.assertEqual(self.reason(payload=BODY + b" "), "signature_mismatch")
        self.assertEqual(self.reason(secret=OTHER), "signature_mismatch")
        self.assertEqual(self.reason(now=NOW + 301), "timestamp_too_old")
        self.assertEqual(self.reason(now=NOW - 301), "timestamp_in_future")
        self.assertEqual(self.reason(now=NOW + 1, tolerance_seconds=float("nan")), "timestamp_too_old")
        self.assertEqual(self.reason(headers={}), "missing_headers")
        self.assertEqual(self.reason(headers={**own(), "Service-Webhook-Timestamp": "soon"}), "malformed_headers")
        self.assertEqual(self.reason(headers={**own(), "Service-Webhook-Signature": "v2=aa"}), "malformed_headers")
        self.assertEqual(self.reason(payload={"id": 1}), "invalid_payload")
        self.assertEqual(self.reason(payload=b"[]", headers=own(body=b"[]")), "invalid_payload")
        for secret in ("whsec_", "", f"{SECRET}\n", "abc"):
            self.assertEqual(self.reason(secret=secret), "invalid_secret")
        self.assertEqual(self.reason(secret=None), "invalid_secret")
        self.assertEqual(self.reason(secret=None, secrets=[]), "invalid_secret")
