/** What expressions and templates can do, with an example each; `samples.test.ts` evaluates all of them. */

/** The row of all examples. */
export const sampleRow = {
  id: 42,
  name: "Ada Lovelace",
  email: "ada@example.com",
  country: "DE",
  amount: 120.5,
  tags: ["new", "vip"],
  address: { city: "Berlin" },
  note: null,
  created: "2026-11-20T09:30:00Z",
};

/** `functions` are the names that CEL has for what the example shows. Each expression is true for the row. */
export interface ExpressionSample {
  write: string;
  functions: readonly string[];
  meaning: string;
  example: string;
}

const of = (write: string, functions: string, meaning: string, example: string): ExpressionSample => ({
  write,
  functions: functions.split(" ").filter((name) => name !== ""),
  meaning,
  example,
});

export const expressionGroups: readonly { title: string; samples: readonly ExpressionSample[] }[] = [
  {
    title: "Members and operators",
    samples: [
      of(
        "`row.a`, `row['a']`, `row.list[0]`",
        "",
        "A member or an element. A missing one is an error.",
        "row.address.city == 'Berlin' && row['tags'][0] == 'new'",
      ),
      of(
        "`has(row.a)`",
        "",
        "Whether the member is there and not null.",
        "has(row.name) && !has(row.phone) && !has(row.note)",
      ),
      of(
        "`==`, `!=`",
        "_==_ _!=_",
        "Equal, not equal; also lists, objects and null.",
        "row.note == null && row.country != 'FR'",
      ),
      of(
        "`<`, `<=`, `>`, `>=`",
        "_<_ _<=_ _>_ _>=_",
        "Compare numbers, texts or times.",
        "row.amount > 100 && row.amount <= 120.5 && row.name < 'B' && row.id >= 42",
      ),
      of("`&&`, `||`, `!`", "!_", "And, or, not.", "row.country == 'FR' || !(row.amount < 100)"),
      of("`a ? b : c`", "", "One or the other.", "(row.amount > 100 ? 'large' : 'small') == 'large'"),
      of(
        "`+`, `-`, `*`, `/`, `%`",
        "_+_ _-_ _*_ _/_ _%_ -_",
        "Calculate. `+` also joins texts and lists. Numbers of rows are doubles.",
        "row.id % 2 == 0 && -row.id + 2 == -40 && row.amount * 2 - 1 == 240 && row.id / 4 == 10.5",
      ),
      of(
        "`in`",
        "@in",
        "Whether a list has the value, or an object the member.",
        "'vip' in row.tags && 'city' in row.address",
      ),
    ],
  },
  {
    title: "Texts",
    samples: [
      of("`s.contains(t)`", "contains", "Whether `t` is in it.", "row.name.contains('Love')"),
      of(
        "`s.startsWith(t)`, `s.endsWith(t)`",
        "startsWith endsWith",
        "How it begins or ends.",
        "row.email.startsWith('ada') && row.email.endsWith('.com')",
      ),
      of("`s.matches(re)`", "matches", "Whether a regular expression is found in it.", "row.email.matches('^[a-z]+@')"),
      of(
        "`s.size()`, `size(s)`",
        "size",
        "Characters; of lists and objects their elements.",
        "size(row.name) == 12 && row.tags.size() == 2",
      ),
      of(
        "`s.lowerAscii()`, `s.upperAscii()`",
        "lowerAscii upperAscii",
        "The letters A to Z in one case.",
        "row.country.lowerAscii() == 'de' && 'de'.upperAscii() == 'DE'",
      ),
      of("`s.trim()`", "trim", "Without space at both ends.", "'  a '.trim() == 'a'"),
      of("`s.replace(a, b)`", "replace", "With `b` for each `a`.", "row.name.replace(' ', '_') == 'Ada_Lovelace'"),
      of(
        "`s.split(t)`, `list.join(t)`",
        "split join",
        "A list of parts, and back.",
        "row.name.split(' ')[1] == 'Lovelace' && row.tags.join('+') == 'new+vip'",
      ),
      of("`s.substring(from, to)`", "substring", "A part of it, from 0.", "row.name.substring(0, 3) == 'Ada'"),
      of(
        "`s.indexOf(t)`, `s.lastIndexOf(t)`",
        "indexOf lastIndexOf",
        "Where `t` is; -1 if nowhere.",
        "row.name.indexOf('a') == 2 && row.name.lastIndexOf('a') == 9",
      ),
      of("`s.charAt(n)`", "charAt", "One character.", "row.name.charAt(0) == 'A'"),
      of(
        "`s.format(list)`",
        "format",
        "Values in a text: `%s`, `%d`, `%.2f`.",
        "'%s has %d'.format(['Ada', 2]) == 'Ada has 2'",
      ),
    ],
  },
  {
    title: "Lists",
    samples: [
      of(
        "`list.exists(x, …)`, `list.all(x, …)`",
        "",
        "Whether it holds for one, or for all.",
        "row.tags.exists(t, t == 'vip') && row.tags.all(t, size(t) == 3)",
      ),
      of(
        "`list.exists_one(x, …)`",
        "",
        "Whether it holds for exactly one.",
        "row.tags.exists_one(t, t.startsWith('v'))",
      ),
      of("`list.filter(x, …)`", "", "The elements for which it holds.", "row.tags.filter(t, t != 'new') == ['vip']"),
      of("`list.map(x, …)`", "", "A value for each element.", "row.tags.map(t, t.upperAscii()) == ['NEW', 'VIP']"),
    ],
  },
  {
    title: "Times",
    samples: [
      of(
        "`timestamp(s)`, `duration(s)`",
        "timestamp duration",
        "A point in time, a length of time. They can be compared, added and subtracted.",
        "timestamp(row.created) + duration('1h') > timestamp('2026-11-20T10:00:00Z')",
      ),
      of(
        "`t.getFullYear()`, `t.getMonth()`",
        "getFullYear getMonth",
        "Of a timestamp, in UTC; months from 0.",
        "timestamp(row.created).getFullYear() == 2026 && timestamp(row.created).getMonth() == 10",
      ),
      of(
        "`t.getDate()`, `t.getDayOfMonth()`",
        "getDate getDayOfMonth",
        "Day of the month, from 1 and from 0.",
        "timestamp(row.created).getDate() == 20 && timestamp(row.created).getDayOfMonth() == 19",
      ),
      of(
        "`t.getDayOfWeek()`, `t.getDayOfYear()`",
        "getDayOfWeek getDayOfYear",
        "0 is Sunday; 0 is 1 January.",
        "timestamp(row.created).getDayOfWeek() == 5 && timestamp(row.created).getDayOfYear() == 323",
      ),
      of(
        "`t.getHours()`, `t.getMinutes()`, `t.getSeconds()`, `t.getMilliseconds()`",
        "getHours getMinutes getSeconds getMilliseconds",
        "Of a timestamp; of a duration its whole length.",
        "timestamp(row.created).getHours() == 9 && duration('90m').getMinutes() == 90 && duration('2s').getSeconds() == 2 && timestamp(row.created).getMilliseconds() == 0",
      ),
    ],
  },
  {
    title: "Types",
    samples: [
      of(
        "`int(x)`, `uint(x)`, `double(x)`",
        "int uint double",
        "Make a number.",
        "int('42') == 42 && double('1.5') == 1.5 && uint(7) == 7u",
      ),
      of(
        "`string(x)`, `bool(x)`, `bytes(x)`",
        "string bool bytes",
        "Make a text, a truth value, bytes.",
        "string(row.id) == '42' && bool('true') && size(bytes('é')) == 2",
      ),
      of(
        "`type(x)`",
        "type",
        "The type: `string`, `double`, `bool`, `list`, `map`, `null_type`, …",
        "type(row.id) == double && type(row.name) == string",
      ),
      of("`dyn(x)`", "dyn", "The same value; mixes types in a list.", "dyn(row.id) == 42.0"),
    ],
  },
];

/** Tags, and what they print for the row. */
export const templateSamples: readonly { template: string; text: string; meaning: string }[] = [
  { template: "Hello {{row.name}}", text: "Hello Ada Lovelace", meaning: "A text as it is." },
  { template: "{{row.amount}} {{row.id}}", text: "120.5 42", meaning: "A number as it is written in the row." },
  { template: "[{{row.note}}]", text: "[]", meaning: "`null` prints nothing." },
  {
    template: "{{row.address.city}}, {{row.tags[0]}}",
    text: "Berlin, new",
    meaning: "A member within, an element of a list.",
  },
  {
    template: '{{row["name"]}}',
    text: "Ada Lovelace",
    meaning: "For names with other characters than letters, digits, `_`, `$` and `-`.",
  },
  {
    template: "{{row.tags}} {{row.address}}",
    text: '["new","vip"] {"city":"Berlin"}',
    meaning: "Lists and objects as JSON.",
  },
  {
    template: "{{row.name | json}} {{row.note | json}}",
    text: '"Ada Lovelace" null',
    meaning: "`json`: as JSON, for values within JSON.",
  },
  { template: "{{row.name | truncate: 3}}", text: "Ada", meaning: "`truncate`: at most so many characters." },
  {
    template: "{{row.name | truncate: 3 | json}}",
    text: '"Ada"',
    meaning: "Filters one after the other, at most four.",
  },
  { template: "\\{{row.name}}", text: "{{row.name}}", meaning: "A backslash: braces as they are." },
];

/** Tags that no row can fill, with the path in `details.path` of the `template_error`. */
export const templateErrorSamples: readonly { template: string; path: string }[] = [
  { template: "{{row.phone}}", path: "row.phone" },
  { template: "{{row.note.at}}", path: "row.note.at" },
  { template: "{{row.tags[7]}}", path: "row.tags.7" },
  { template: "{{row.name.length}}", path: "row.name.length" },
];
