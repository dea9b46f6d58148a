"""What has to agree with JavaScript, and what becomes of values of Python."""

import datetime
import decimal
import enum
import json
import unittest
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

from rowmill._map.identity import canonical, key_of, number_text
from rowmill._map.options import MapOptions, define_job
from rowmill._map.shorthand import parse_shorthand
from rowmill._map.templates import UnknownColumnError
from rowmill._body import json_body
from rowmill._content import rows_source
from rowmill._map.values import Integers, json_line
from rowmill._profiles import find_credentials


class Color(enum.Enum):
    RED = "red"


class Identity(unittest.TestCase):
    def test_numbers_are_printed_as_javascript_prints_them(self) -> None:
        cases = {
            0.0: "0", -0.0: "0", 1.0: "1", 0.1: "0.1", 1e-6: "0.000001", 1e-7: "1e-7", 1.5e-7: "1.5e-7", 1e16: "10000000000000000",
            1e20: "100000000000000000000", 1e21: "1e+21", 1.25e22: "1.25e+22", 123456.789: "123456.789", -2.5: "-2.5", 5e-324: "5e-324",
            2**60: "1152921504606847000",
        }  # fmt: skip
        for number, text in cases.items():
            self.assertEqual(number_text(number), text)

    def test_a_value_has_one_text_whatever_the_order_of_its_members(self) -> None:
        self.assertEqual(canonical({"b": 1, "a": [True, None, "é\u2028\x01"]}), '{"a":[true,null,"é\u2028\\u0001"],"b":1}')
        # By UTF-16 code units, an astral character is before U+FF21.
        self.assertEqual(canonical({"\uff21": 1, "\U0001f600": 2}), '{"\U0001f600":2,"\uff21":1}')
        self.assertEqual(canonical("\ud800"), '"\\ud800"')

    def test_keys_are_those_of_the_command_line(self) -> None:
        # Made by `keyOf` of packages/cli/src/map/identity.ts.
        self.assertEqual(key_of("content", "abc", None), "rowmill-map-content-581830fe1c1853577570d982fa5cb32d")
        self.assertEqual(key_of("run", "ds_1", "spec_1", {"type": "sample", "count": 3, "seed": 1}), "rowmill-map-run-17417d7a745b2425dcf92a89a811854e")


class Values(unittest.TestCase):
    def line(self, value: object) -> object:
        return json.loads(json_line({"v": value}, 0, Integers()))["v"]

    def test_values_keep_what_they_are(self) -> None:
        moment = datetime.datetime(2026, 11, 20, 9, 30, tzinfo=datetime.timezone.utc)
        cases = [
            (float("nan"), None), (2**53, str(2**53)), (2**53 - 1, 2**53 - 1), (True, True), (decimal.Decimal("1.10"), "1.10"),
            (decimal.Decimal("NaN"), None), (datetime.date(2026, 1, 2), "2026-01-02"), (moment, "2026-11-20T09:30:00+00:00"),
            (datetime.timedelta(days=1, seconds=2), "P1DT2S"), (Color.RED, "red"), (uuid.UUID(int=1), str(uuid.UUID(int=1))),
            ({"a": [1, {"b": float("nan")}], 2: "x"}, {"a": [1, {"b": None}], "2": "x"}), ((1, "é"), [1, "é"]),
        ]  # fmt: skip
        for given, sent in cases:
            self.assertEqual(self.line(given), sent)

    def test_what_has_no_json_form_is_refused_with_its_row_and_column(self) -> None:
        circle: list = []
        circle.append(circle)
        for value in (b"x", {1, 2}, float("inf"), object(), circle, {1.5: 2}):
            with self.assertRaisesRegex(ValueError, "row 7, column 'v'"):
                json_line({"v": value}, 7, Integers())
        with self.assertRaisesRegex(ValueError, "row 7"):
            json_line({"v": "\ud800"}, 7, Integers())
        with self.assertRaisesRegex(TypeError, "row 3 is a str"):
            json_line("text", 3, Integers())  # type: ignore[arg-type]


class IntegersOfUploads(unittest.TestCase):
    small_first = [{"id": 1}, {"id": True}, {"id": 2**60}, {"id": -2}]

    def test_of_rows_that_are_all_there_a_column_has_one_type(self) -> None:
        sent = [{"id": "1"}, {"id": True}, {"id": str(2**60)}, {"id": "-2"}]
        uploaded = b"".join(rows_source(self.small_first).open(0))
        self.assertEqual([json.loads(line) for line in uploaded.splitlines()], sent)
        self.assertEqual(json.loads(json_body({"rows": self.small_first}))["rows"], sent)
        self.assertEqual(json.loads(json_body({"maximum": 2**60})), {"maximum": 2**60})

    def test_of_rows_that_come_one_by_one_a_column_keeps_its_type_or_is_refused(self) -> None:
        long_first = rows_source(iter(self.small_first[2:])).open(0)
        self.assertEqual([json.loads(line) for line in b"".join(long_first).splitlines()], [{"id": str(2**60)}, {"id": "-2"}])
        with self.assertRaisesRegex(ValueError, "^row 2, column 'id': an integer beyond .*, and row 0 was sent with a number"):
            b"".join(rows_source(iter(self.small_first)).open(0))


class Specs(unittest.TestCase):
    def test_the_shorthand_is_that_of_the_command_line(self) -> None:
        schema = parse_shorthand("industry, mood: good|bad, tags string[], score int?: from 0 to 10")
        self.assertEqual(schema["required"], ["industry", "mood", "tags", "score"])
        self.assertEqual(
            schema["properties"],
            {
                "industry": {"type": "string"},
                "mood": {"type": "string", "enum": ["good", "bad"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "score": {"type": ["integer", "null"], "description": "from 0 to 10"},
            },
        )
        for wrong in ("", "a wrong-type-x", "a, a", "m: x||y", "1a"):
            with self.assertRaises(ValueError):
                parse_shorthand(wrong)

    def test_templates_are_completed_and_unknown_columns_refused(self) -> None:
        columns = ["company", "Company name", "row_x"]
        options = MapOptions(prompt="{{company}} {{Company name | upper}} {{ row.company }} \\{{x}}", model="small", system="S")
        made = define_job(options, columns, {"connectionId": "conn_1", "model": "small"})
        content = made["processor"]["messages"][1]["content"]
        self.assertEqual(content, '{{row.company}} {{row["Company name"] | upper}} {{ row.company }} \\{{x}}')
        spaced = ["name", " name", " city", "ID ", "\u00a0zip code", " "]
        options = MapOptions(prompt="{{city}} {{ID }} {{ name }} {{zip code | json}}", model="small")
        made = define_job(options, spaced, {"connectionId": "conn_1", "model": "small"})
        content = made["processor"]["messages"][0]["content"]
        self.assertEqual(content, '{{row[" city"]}} {{row["ID "]}} {{row.name}} {{row["\u00a0zip code"] | json}}')
        with self.assertRaisesRegex(UnknownColumnError, 'There is no column "city"'):
            define_job(MapOptions(http="POST https://example.com/{{city}}"), [" city", "city "], None)
        with self.assertRaisesRegex(UnknownColumnError, 'There is no column "compny". Did you mean "company"?'):
            define_job(MapOptions(http="POST https://example.com/{{compny}}"), columns, None)

    def test_options_that_exclude_each_other_are_refused(self) -> None:
        wrong = (
            {}, {"mock": True, "transform": "x"}, {"prompt": "x"}, {"mock": True, "schema": "a"},
            {"mock": True, "connection": "here"}, {"spec": {"processor": {"type": "mock"}}, "connection": "here"},
            {"http": "GET https://a.example", "price": "1/2"}, {"transform": "x", "headers": {"a": "b"}},
        )  # fmt: skip
        for options in wrong:
            with self.assertRaises(TypeError):
                MapOptions(**options).kind  # noqa: B018
        with self.assertRaises(TypeError):
            MapOptions(mock=True, limit=1, sample=1).scope  # noqa: B018
        for amount in ("five", 0, -1, float("inf")):
            with self.assertRaises(ValueError):
                MapOptions(mock=True, max_cost=amount).max_cost_usd  # noqa: B018
        with self.assertRaisesRegex(ValueError, "must not be in a job spec"):
            define_job(MapOptions(http="https://example.com", headers={"Authorization": "x"}), ["a"], None)
        here = {"connectionId": "conn_1"}
        with self.assertRaisesRegex(ValueError, "must not be in a job spec"):
            define_job(MapOptions(http="/a", connection="here", headers={"Authorization": "x"}), ["a"], here)
        with self.assertRaisesRegex(ValueError, "does not name a path below"):
            define_job(MapOptions(http="https://example.com", connection="here"), ["a"], here)
        with self.assertRaisesRegex(ValueError, "with connection="):
            define_job(MapOptions(http="GET /a"), ["a"], None)


class Profiles(unittest.TestCase):
    def test_arguments_win_over_the_environment_and_that_over_profiles(self) -> None:
        with TemporaryDirectory() as text:
            folder = Path(text)
            config = folder / "rowmill"
            config.mkdir()
            (config / "config.toml").write_text(
                'profile = "home"\n[profiles.home]\nurl = "http://home/"\napiKey = "k1"\n'
                "[profiles.work] # mine\nurl = 'http://work'\napiKey = \"k\\u0032\"\n"
            )
            env = {"XDG_CONFIG_HOME": text}

            def find(**more: object) -> tuple:
                environment = {**env, **more.pop("env", {})}  # type: ignore[dict-item]
                return tuple(find_credentials(**more, environment=environment, directory=folder))  # type: ignore[arg-type]

            self.assertEqual(find(), ("http://home/", "k1"))
            self.assertEqual(find(profile="work"), ("http://work", "k2"))
            self.assertEqual(find(env={"ROWMILL_PROFILE": "work"}), ("http://work", "k2"))
            self.assertEqual(find(env={"ROWMILL_URL": "http://home", "ROWMILL_API_KEY": "k9"}), ("http://home", "k9"))
            env_of_another = {"ROWMILL_URL": "http://home", "ROWMILL_API_KEY": "k9"}
            self.assertEqual(find(profile="work", env=env_of_another), ("http://work", "k2"))
            # The key of a profile is for its service alone.
            with self.assertRaisesRegex(ValueError, "needs api_key"):
                find(env={"ROWMILL_URL": "http://elsewhere"})
            with self.assertRaisesRegex(ValueError, 'no profile "other"; it has home, work'):
                find(profile="other")
            (folder / ".rowmill.toml").write_text('profile = "work"\n')
            self.assertEqual(find(), ("http://work", "k2"))
            (folder / ".rowmill.toml").write_text('apiKey = "k"\n')
            with self.assertRaisesRegex(ValueError, "nothing else"):
                find()
