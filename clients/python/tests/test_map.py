"""`rowmill.map` against the real service: tables, kills, retries, money, and the same runs as the command line."""

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, List
from unittest import mock

import rowmill
from rowmill._map.follow import Shower, _Line, follow_run
from rowmill._map.inputs import open_input
from rowmill._map.things import Reading, create_run, ensure_dataset
from tests.support import NODE, REPOSITORY, Reply, Seen, Server, ServiceTest, completion, prompt_of

try:
    import pandas
except ImportError:
    pandas = None

SHOUT = "export default (row) => { if (!row.text) throw new Error('no text'); return { loud: row.text.toUpperCase() }; }"
#: A program that maps rows, prints a line when the run has some results, and is killed then.
PROGRAM = """
import sys, rowmill
def on_progress(run):
    if run["rows"]["succeeded"] >= 4:
        print("going on", flush=True)
result = rowmill.map([{"n": n} for n in range(12)], prompt="{{n}}", model="small", base_url=sys.argv[1], schema="word",
                     price="1/1", max_cost=1, concurrency=4, cache=False, progress=on_progress)
print(result.run_id, [row["word"] for row in result], flush=True)
"""


class Map(ServiceTest):
    def map(self, rows: Any, **options: Any) -> Any:
        return rowmill.map(rows, client=self.client, progress=False, **options)

    def model(self, respond: Any = None) -> Server:
        """Responds to each prompt with a word that contains it."""

        def reply(seen: Seen, number: int) -> Reply:
            prompt = prompt_of(seen)
            if prompt is None:
                return Reply(200, {"data": []})
            if respond is not None:
                respond(prompt)
            return Reply(200, completion(json.dumps({"word": f"w{prompt}"})))

        return Server(self, reply)

    def test_rows_come_back_in_order_and_the_same_call_is_the_same_run(self) -> None:
        rows = [{"id": 1, "text": "a"}, {"id": 2, "text": None}, {"id": 3, "text": "c", "Loud": "x"}]
        with self.assertWarnsRegex(UserWarning, "1 of 3 rows did not succeed: transform_error 1"):
            result = self.map(rows, transform=SHOUT)
        self.assertEqual(
            result.rows(),
            [
                {"id": 1, "text": "a", "loud": "A", "row_state": "succeeded", "failure_code": None},
                {"id": 2, "text": None, "row_state": "failed", "failure_code": "transform_error"},
                {"id": 3, "text": "c", "Loud": "x", "output_loud": "C", "row_state": "succeeded", "failure_code": None},
            ],
        )
        self.assertIn("no text", next(result.failures())["failure"]["message"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(self.map((dict(row) for row in rows), transform=SHOUT).run_id, result.run_id)
            again = self.map(rows, transform=SHOUT, retry=True)
            self.assertEqual(again.run["parentRunId"], result.run_id)
            self.assertEqual(self.map(rows, transform=SHOUT).run_id, again.run_id)
            self.assertNotEqual(self.map(rows, transform=SHOUT, limit=1).run_id, again.run_id)
            attached = rowmill.attach(result.run_id, client=self.client)
        self.assertEqual([row["row_state"] for row in attached], ["succeeded", "failed", "succeeded"])

    def test_the_command_line_and_python_share_datasets_specs_and_runs(self) -> None:
        path = self.folder() / "in.csv"
        path.write_text("id,text\n1,a\n2,b\n")
        code = path.with_name("shout.js")
        code.write_text(SHOUT)
        environment = {"ROWMILL_URL": self.organization.url, "ROWMILL_API_KEY": self.organization.api_key}
        command = [NODE, "--conditions=@rowmill/source", str(REPOSITORY / "packages/cli/src/main.ts"), "map", str(path)]
        done = subprocess.run(
            [*command, "--transform", str(code), "-o", str(path.with_name("out.csv")), "--json"],
            env={**os.environ, **environment, "XDG_DATA_HOME": str(path.parent), "XDG_CONFIG_HOME": str(path.parent)},
            capture_output=True,
            text=True,
            check=True,
        )
        result = self.map(path, transform=code)
        self.assertEqual(result.run_id, json.loads(done.stdout)["run"]["id"])
        self.assertEqual(list(result), list(result))
        self.assertEqual(result.rows()[1], {"id": 2, "text": "b", "loud": "B", "row_state": "succeeded", "failure_code": None})
        result.save(path.with_name("again.csv"))
        self.assertEqual(path.with_name("again.csv").read_text(), path.with_name("out.csv").read_text())

    def test_a_file_is_read_as_the_options_say_and_as_the_command_reads_it(self) -> None:
        path = self.folder() / "odd.csv"
        path.write_bytes("1~Käse\n2\n3~Öl\n".encode("cp1252"))
        reading = {"csv": {"encoding": "windows-1252", "delimiter": "~", "header": False}}
        with self.assertRaisesRegex(rowmill.DatasetIntakeError, "line 2: The record has 1 field"):
            self.map(path, mock=True, **reading)
        with self.assertWarnsRegex(UserWarning, "1 row cannot be read, and is left out; the first is in line 2: The record has 1 field"):
            result = self.map(path, mock=True, on_invalid_row="skip", **reading)
        self.assertEqual([row["column_2"] for row in result], ["Käse", "Öl"])
        environment = {"ROWMILL_URL": self.organization.url, "ROWMILL_API_KEY": self.organization.api_key}
        done = subprocess.run(
            [
                NODE, "--conditions=@rowmill/source", str(REPOSITORY / "packages/cli/src/main.ts"), "upload", str(path), "--json",
                "--encoding", "windows-1252", "--delimiter", "~", "--no-header-row", "--skip-invalid",
            ],
            env={**os.environ, **environment, "XDG_DATA_HOME": str(path.parent), "XDG_CONFIG_HOME": str(path.parent)},
            capture_output=True,
            text=True,
            check=True,
        )  # fmt: skip
        self.assertEqual(json.loads(done.stdout)["id"], result.run["datasetId"])

    def test_the_price_of_a_changed_table_is_that_of_its_new_rows(self) -> None:
        model = self.model(lambda _prompt: None)
        options = {"prompt": "{{n}}", "model": "small", "base_url": f"{model.url}/v1", "price": "1/1", "max_output_tokens": 10}
        rows = [{"n": n} for n in range(8)]
        self.map(rows[:6], max_cost=1, **options)
        with self.assertRaisesRegex(rowmill.PriceNotAgreedError, r"^8 rows \(the cache has 6 of 8 looked up\) at \$0"):
            self.map(rows, **options)
        with self.assertRaisesRegex(rowmill.PriceNotAgreedError, r"^2 rows at \$0"):
            self.map([{"n": 8}, {"n": 9}], **options)

    def test_a_model_is_paid_only_with_consent_and_each_row_once_over_a_kill(self) -> None:
        prompts: List[str] = []
        gate = threading.Event()
        lock = threading.Lock()

        def respond(prompt: str) -> None:
            with lock:
                prompts.append(prompt)
                is_late = len(prompts) > 8
            if is_late:
                gate.wait(60)

        model = self.model(respond)
        rows = [{"n": n} for n in range(12)]
        options = {"prompt": "{{n}}", "model": "small", "base_url": f"{model.url}/v1", "schema": "word", "price": "1/1"}
        with self.assertRaises(rowmill.PriceNotAgreedError) as raised:
            self.map(rows, **options)
        self.assertEqual(raised.exception.estimate["rows"], 12)
        self.assertEqual(prompts, [])
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, f"{model.url}/v1"],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "ROWMILL_URL": self.organization.url,
                "ROWMILL_API_KEY": self.organization.api_key,
            },
            stdout=subprocess.PIPE,
            text=True,
        )
        assert program.stdout is not None
        self.assertEqual(program.stdout.readline(), "going on\n")
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
        gate.set()
        # Another number of rows in flight is the same run.
        result = self.map(rows, **options, max_cost=1, concurrency=8, cache=False)
        self.assertEqual([row["word"] for row in result], [f"w{n}" for n in range(12)])
        self.assertEqual(sorted(prompts, key=int), [str(n) for n in range(12)])
        self.assertEqual(result.cost_usd, "0.000180")
        runs = self.client.runs.list({"jobSpecId": result.run["jobSpecId"]})
        self.assertEqual([run["id"] for run in runs], [result.run_id])

    def test_where_no_key_may_be_stored_connections_to_the_same_address_are_named(self) -> None:
        model = self.model()
        address = {"OPENAI_API_KEY": "sk-of-nobody", "OPENAI_BASE_URL": f"{model.url}/v1"}
        with mock.patch.dict(os.environ, address):
            with self.assertRaisesRegex(ValueError, "name one with connection=, make one with `rowmill connect openai`"):
                self.map([{"n": 1}], prompt="{{n}}", model="gpt-5-mini")
            self.client.connections.create(
                {"type": "openai_compatible", "name": "ours", "baseUrl": f"{model.url}/v1", "secret": "sk-of-the-team"}
            )
            with self.assertRaisesRegex(ValueError, r'connection= \(it has "ours" at http.*/v1\), make one'):
                self.map([{"n": 1}], prompt="{{n}}", model="gpt-5-mini")

    def test_a_budget_pauses_the_run_and_a_larger_one_continues_it(self) -> None:
        model = self.model()
        options = {"prompt": "{{n}}", "model": "small", "base_url": f"{model.url}/v1", "price": "100/100", "schema": "word"}
        rows = [{"n": n} for n in range(3)]
        with self.assertRaises(rowmill.RunPausedError) as raised:
            self.map(rows, **options, max_cost="0.000001", max_output_tokens=10)
        self.assertEqual(raised.exception.reason, "budget_exhausted")
        result = self.map(rows, **options, max_cost=1, max_output_tokens=10)
        self.assertEqual(result.run_id, raised.exception.run_id)
        self.assertEqual(result.state, "succeeded")

    def test_an_interrupt_leaves_the_run_and_says_how_to_come_back(self) -> None:
        def interrupt(run: Any) -> None:
            raise KeyboardInterrupt

        rows = [{"n": n} for n in range(3)]
        with self.assertRaises(rowmill.Detached) as raised:
            rowmill.map(rows, mock=True, client=self.client, progress=interrupt)
        self.assertIsInstance(raised.exception, KeyboardInterrupt)
        self.assertIn(f"rowmill.attach('{raised.exception.run_id}')", str(raised.exception))
        result = self.map(rows, mock=True)
        self.assertEqual(result.run_id, raised.exception.run_id)
        self.assertEqual([row["echo"] for row in result], rows)

    def test_calls_at_the_same_time_are_one_run(self) -> None:
        rows = [{"n": n, "text": "x" * 1000} for n in range(2000)]
        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(lambda _: self.map(rows, mock=True), range(4)))
        self.assertEqual(len({result.run_id for result in results}), 1)
        self.assertEqual([row["echo"]["n"] for row in results[3]], list(range(2000)))

    def test_a_request_for_each_row(self) -> None:
        server = Server(self, lambda seen, number: Reply(200, {"got": json.loads(seen.body), "at": seen.path}))
        with self.assertRaises(rowmill.UnknownColumnError):
            self.map([{"id": 1}], http=f"POST {server.url}/{{{{idd}}}}")
        origin = self.client.connections.create({"type": "http", "name": "here", "baseUrl": server.url})
        spec = {"processor": {"type": "http", "method": "POST", "url": f"{server.url}/{{{{id}}}}", "body": {"a": "{{id}}"}}}
        spec["processor"]["connection"] = origin["id"]
        result = self.map([{"id": 7}], spec=spec)
        row = result.rows()[0]
        self.assertEqual(row["row_state"], "succeeded", list(result.failures()))
        self.assertTrue(server.seen)
        self.client.connections.update(origin["id"], {"secret": "never-printed-0123456789"})
        server.seen.clear()
        headers = {"Authorization": "Bearer {{connection.secret}}"}
        result = self.map([{"id": 8}], http="POST /of/{{id}}", connection="here", headers=headers)
        self.assertEqual((result.rows()[0]["at"], result.rows()[0]["got"]), ("/of/8", {"id": 8}))
        self.assertEqual(server.seen[0].headers["authorization"], "Bearer never-printed-0123456789")

    def test_what_is_no_table_is_refused_before_anything_is_made(self) -> None:
        for wrong, error in (([], ValueError), ([1], TypeError), ({"a": 1}, TypeError), (7, TypeError), ("none.csv", FileNotFoundError)):
            with self.assertRaises(error):
                self.map(wrong, mock=True)

    def test_a_retry_and_a_run_that_were_deleted_are_made_again(self) -> None:
        rows = [{"text": "a"}, {"text": None}]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = self.map(rows, transform=SHOUT)
            for _ in range(2):
                retried = self.map(rows, transform=SHOUT, retry=True)
                self.assertEqual(retried.run["parentRunId"], first.run_id)
                self.client.runs.delete(retried.run_id)
            self.client.runs.delete(first.run_id)
            self.assertNotEqual(self.map(rows, transform=SHOUT).run_id, first.run_id)

    def test_a_retry_of_another_choice_of_rows_is_refused(self) -> None:
        rows = [{"a": 1}, {"a": 2}, {"a": 3}]
        code = "export default (row) => { if (row.a === 2) throw new Error('no'); return { b: row.a } }"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = self.map(rows, transform=code, limit=2)
            refused = f"{first.run_id} is of another choice of rows, and 1 row of it .* make a retry run of {first.run_id};"
            with self.assertRaisesRegex(ValueError, refused):
                self.map(rows, transform=code, retry=True)

    def test_a_retry_with_other_code_is_refused_before_a_row_is_processed(self) -> None:
        rows = [{"text": "other code"}, {"text": None}]
        other = "export default (row) => ({ n: 1 })"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = self.map(rows, transform=SHOUT)
            refused = f"{first.run_id} is of another job spec, and 1 row of it did not succeed"
            with self.assertRaisesRegex(ValueError, refused):
                self.map(rows, transform=other, retry=True)
            runs = self.client.runs.list({"datasetId": first.run["datasetId"]})
            self.assertEqual([run["id"] for run in runs], [first.run_id])

            # The rows that failed alone, by another version.
            spec_id = first.run["jobSpecId"]
            version = self.client.job_specs.versions.create(spec_id, {"processor": {"type": "transform", "code": other}})
            retried = self.client.runs.retry(first.run_id, {"jobSpecVersion": version["version"]})
            self.client.runs.wait_for(retried["id"], timeout=300)
            self.assertEqual(self.map(rows, transform=other, retry=True).run["state"], "succeeded")
            self.assertEqual(self.map(rows, transform=SHOUT, limit=1).rows()[0]["loud"], "OTHER CODE")

    def test_a_retry_with_other_code_names_a_run_that_goes_on_and_an_archived_job_spec(self) -> None:
        rows = [{"text": "goes on"}, {"text": None}]
        other = "export default (row) => ({ n: 2 })"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first = self.map(rows, transform=SHOUT)
            slow = self.client.job_specs.create({"name": "slow", "processor": {"type": "mock", "delayMs": 60_000}})
            dataset_id, spec_id, scope = first.run["datasetId"], slow["id"], first.run["scope"]
            run = create_run(self.client, dataset_id, spec_id, scope, "slow", {})
            with self.assertRaisesRegex(ValueError, f"{run['id']} is of another job spec, and has not ended"):
                self.map(rows, transform=other, retry=True)
            self.client.runs.cancel(run["id"])
            self.client.runs.wait_for(run["id"], timeout=300)
            self.client.job_specs.archive(spec_id)
            with self.assertRaisesRegex(ValueError, "2 rows of it did not succeed. That job spec is archived; for every row"):
                self.map(rows, transform=other, retry=True)

    def test_a_run_that_is_deleted_while_it_is_watched_is_named(self) -> None:
        def delete(run: Any) -> None:
            self.client.runs.cancel(run["id"])
            self.client.runs.wait_for(run["id"], timeout=300)
            self.client.runs.delete(run["id"])

        with self.assertRaisesRegex(rowmill.RowmillError, "run_.* was deleted meanwhile: the same call makes it again"):
            rowmill.map([{"n": 1}], mock={"delayMs": 60_000}, client=self.client, progress=delete)

    def test_a_run_whose_first_rows_all_fail_says_why_it_is_paused(self) -> None:
        server = Server(self, lambda seen, number: Reply(401, {"error": {"message": "no such key"}}))
        rows = [{"n": n} for n in range(200)]
        options = {"prompt": "{{n}}", "model": "small", "base_url": f"{server.url}/v1", "schema": "word", "price": "1/1"}
        with self.assertRaisesRegex(rowmill.RunPausedError, r"no such key \(provider_auth_failed\)\. Correct the cause") as raised:
            self.map(rows, **options, max_cost=1, max_output_tokens=10)
        self.assertEqual(raised.exception.reason, "breaker_open")
        refused = mock.patch.object(type(self.client.runs), "failure_groups", side_effect=rowmill.RowmillError("no results:read"))
        with refused, self.assertRaisesRegex(rowmill.RunPausedError, r"is paused, .*\. Correct the cause"):
            follow_run(self.client, raised.exception.run, Shower())

    def test_a_provider_that_refuses_calls_is_in_the_line_of_the_progress(self) -> None:
        opened = threading.Event()
        refused = Reply(429, {"error": {"message": "Too many requests."}})
        server = Server(self, lambda seen, number: Reply(200, completion("a")) if opened.is_set() else refused)
        shown = io.StringIO()
        show = _Line._show

        def look(line: Any, text: str) -> None:
            if "after refusals" in text:
                opened.set()
            show(line, text)

        options = {"prompt": "{{n}}", "model": "small", "base_url": f"{server.url}/v1", "price": "1/1", "max_output_tokens": 10, "yes": True}
        with contextlib.redirect_stderr(shown), mock.patch.object(_Line, "_show", look):
            result = rowmill.map([{"n": 1}], **options, client=self.client, progress=True)
        self.assertEqual(result.run["state"], "succeeded")
        self.assertRegex(shown.getvalue(), r"running: 0 of 1 row, (at most \d+ calls/min|no call for \d+ s) after refusals")

    def test_names_are_cut_at_the_limit_of_the_service(self) -> None:
        name = "ä" * 300 + ".jsonl"
        result = self.map([{"n": 1}], mock=True, name=name)
        self.assertEqual(result.run["name"], name[:200])
        self.assertEqual(self.map([{"n": 1}], mock=True, name=name).run_id, result.run_id)

    def test_a_file_that_changes_while_it_is_sent_is_refused(self) -> None:
        path = self.folder() / "rows.csv"
        path.write_text("n\n1\n")
        given = open_input(path, None)
        path.write_text("n\n2\n3\n")
        with self.assertRaisesRegex(rowmill.RowmillError, "rows.csv changed while it was read"):
            ensure_dataset(self.client, given, Reading(), lambda sent, upload: None)
        path.write_text("n\n1\n")
        self.assertEqual(ensure_dataset(self.client, open_input(path, None), Reading(), lambda sent, upload: None)["rowCount"], 1)

    def test_a_file_whose_name_is_no_unicode_is_sent(self) -> None:
        path = os.path.join(os.fsencode(self.folder()), b"k\xf6ln.csv")
        with open(path, "w") as file:
            file.write("n\n1\n")
        self.assertEqual(self.map(os.fsdecode(path), mock=True).run["name"], "k\ufffdln.csv")

    def test_a_progress_line_is_written_over(self) -> None:
        stderr = sys.stderr

        class Terminal:
            text = ""

            def write(self, text: str) -> None:
                self.text += text

            def flush(self) -> None:
                pass

            def isatty(self) -> bool:
                return True

        terminal = Terminal()
        sys.stderr = terminal  # type: ignore[assignment]
        try:
            rowmill.map([{"n": 1}], mock=True, client=self.client)
        finally:
            sys.stderr = stderr
        self.assertRegex(terminal.text, r"^\rrows.jsonl: 0.0 of 0.0 MiB sent")
        self.assertRegex(terminal.text, r"\rrun_\w+ succeeded: 1 of 1 row *\n$")


@unittest.skipIf(pandas is None, "pandas is not installed")
class Frames(ServiceTest):
    CODE = """export default (row) => row.n === 4 ? null : ({
      n: row.n, twice: row.n * 2, half: row.n / 2, ok: row.n > 1, when: '2026-01-0' + row.n, words: ['a', { b: row.n }],
      sent: JSON.stringify(row),
    })"""
    SCHEMA = {
        "type": "object",
        "properties": {"when": {"type": "string", "format": "date"}},
    }

    def frame(self) -> Any:
        return pandas.DataFrame(
            {
                "n": [1, 2, 3, 4],
                "x": [0.5, float("nan"), 2.0, 1e300],
                "day": pandas.to_datetime(["2026-01-01 00:00", None, "2026-01-03 12:00", "2026-01-04 00:00"]),
                "nested": [[1, 2], {"a": None}, None, "text"],
                "kind": pandas.Categorical(["a", "b", None, "a"]),
                "big": [2**60, 1, 2, 3],
                "maybe": pandas.array([1, None, 3, 4], dtype="Int64"),
            },
            index=pandas.Index(["w", "x", "x", "z"], name="key"),
        )

    def test_a_frame_keeps_its_index_and_types_and_gets_typed_columns(self) -> None:
        frame = self.frame()
        with self.assertWarns(UserWarning):
            made = rowmill.map(frame, transform=self.CODE, schema=self.SCHEMA, client=self.client, progress=False)
        pandas.testing.assert_frame_equal(made[list(frame.columns)], frame)
        self.assertEqual(list(made["row_state"]), ["succeeded"] * 3 + ["failed"])
        self.assertEqual(made["failure_code"].iloc[3], "output_schema_invalid")
        self.assertEqual([str(made[name].dtype) for name in ("output_n", "twice", "half", "ok")], ["Int64", "Int64", "float64", "boolean"])
        # pandas 3 counts microseconds, and earlier versions nanoseconds.
        self.assertIn(str(made["when"].dtype), ("datetime64[ns]", "datetime64[us]"))
        self.assertEqual(made["words"].iloc[1], ["a", {"b": 2}])
        sent = json.loads(made["sent"].iloc[1])
        expected = {"n": 2, "x": None, "day": None, "nested": {"a": None}, "kind": "b", "big": "1", "maybe": None}
        self.assertEqual(sent, expected)
        self.assertEqual(json.loads(made["sent"].iloc[0])["big"], str(2**60))
        self.assertEqual(json.loads(made["sent"].iloc[2])["day"], "2026-01-03T12:00:00")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attached = rowmill.attach(made.attrs["rowmill_run_id"], client=self.client)
        table = attached.to_pandas()
        self.assertEqual(list(table["twice"][:3]), [2, 4, 6])
        self.assertIn(str(table["when"].dtype), ("datetime64[ns]", "datetime64[us]"))

    def test_a_part_of_a_frame_keeps_the_index_of_its_rows(self) -> None:
        frame = self.frame()
        made = rowmill.map(frame, mock=True, sample=2, seed=5, client=self.client, progress=False)
        self.assertEqual(len(made), 2)
        for position, (key, row) in enumerate(made.iterrows()):
            self.assertEqual(row["echo"]["n"], row["n"])
            self.assertEqual(frame.index[row["n"] - 1], key, position)

    def test_fields_of_the_schema_are_columns_where_no_row_succeeds(self) -> None:
        frame = self.frame()[["n"]]
        code = "export default () => null"
        schema = {"type": "object", "properties": {"n": {"type": "integer"}, "mood": {"type": "string"}}}
        with self.assertWarns(UserWarning):
            made = rowmill.map(frame, transform=code, schema=schema, client=self.client, progress=False)
        self.assertEqual(list(made.columns), ["n", "output_n", "mood", "row_state", "failure_code"])
        self.assertTrue(made["mood"].isna().all())
        with self.assertWarns(UserWarning):
            attached = rowmill.attach(made.attrs["rowmill_run_id"], client=self.client)
        self.assertEqual(list(attached.to_pandas().columns), list(made.columns))

    def test_a_frame_that_is_no_table_is_refused(self) -> None:
        levels = pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
        twice = pandas.DataFrame([[1, 2]], columns=["a", "a"])
        for wrong in (levels, twice, pandas.DataFrame({"a": []}), pandas.DataFrame({"a": [float("inf")]})):
            with self.assertRaises(ValueError):
                rowmill.map(wrong, mock=True, client=self.client)
        with self.assertRaises(TypeError):
            rowmill.map(pandas.Series([1]), mock=True, client=self.client)


@unittest.skipIf(pandas is None, "pandas is not installed")
class FrameRows(unittest.TestCase):
    def test_a_column_of_integers_has_one_type_whatever_their_sizes(self) -> None:
        frame = pandas.DataFrame(
            {
                "long": [2**53, 1],
                "short": [2**53 - 1, 1],
                "unsigned": pandas.array([2**64 - 1, 0], dtype="uint64"),
                "maybe": pandas.array([-(2**60), None], dtype="Int64"),
                "none": pandas.array([None, None], dtype="Int64"),
            }
        )
        given = open_input(frame, None)
        self.addCleanup(given.close)
        lines = [json.loads(line) for line in given.path.read_text().splitlines()]
        self.assertEqual(
            lines,
            [
                {"long": str(2**53), "short": 2**53 - 1, "unsigned": str(2**64 - 1), "maybe": str(-(2**60)), "none": None},
                {"long": "1", "short": 1, "unsigned": "0", "maybe": None, "none": None},
            ],
        )


class PolarsFrame:
    """What is used of a DataFrame of Polars, which is not a dependency."""

    def to_dicts(self) -> list:
        return [{"id": 1, "n": 1}, {"id": 2**53, "n": 2}, {"id": None, "n": 3}, {"id": 4, "n": 4}]


class Integers(unittest.TestCase):
    def test_a_column_of_integers_has_one_type_in_every_kind_of_rows(self) -> None:
        rows = PolarsFrame().to_dicts()
        sent = [{"id": "1", "n": 1}, {"id": str(2**53), "n": 2}, {"id": None, "n": 3}, {"id": "4", "n": 4}]
        before = set(Path(tempfile.gettempdir()).glob("rowmill-*.jsonl"))
        for given in (rows, iter(rows), tuple(rows), PolarsFrame()):
            opened = open_input(given, None)
            content = opened.path.read_bytes()
            self.assertEqual([json.loads(line) for line in content.splitlines()], sent)
            self.assertEqual((opened.sha256, opened.size), (hashlib.sha256(content).hexdigest(), len(content)))
            opened.close()
        self.assertEqual(set(Path(tempfile.gettempdir()).glob("rowmill-*.jsonl")), before)


class Temporary(unittest.TestCase):
    def test_no_file_is_left_behind_where_rows_are_refused(self) -> None:
        before = set(Path(tempfile.gettempdir()).glob("rowmill-*.jsonl"))
        with self.assertRaises(ValueError):
            open_input([{"a": 1}, {"a": b"x"}], None)
        self.assertEqual(set(Path(tempfile.gettempdir()).glob("rowmill-*.jsonl")), before)
