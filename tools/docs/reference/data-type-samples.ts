/** How values come in and go out; `samples.test.ts` reads and writes each of them. */

/** A cell of a CSV file with the header `n,v`, its column's type, and the value in the row as JSON text. */
export const csvSamples: readonly { cell: string; type: string; value: string; note: string }[] = [
  { cell: "42", type: "integer", value: "42", note: "Up to ±9,007,199,254,740,991." },
  { cell: "0.5", type: "number", value: "0.5", note: "If the number, printed again, gives the cell." },
  { cell: "1.10", type: "decimal", value: '"1.10"', note: "A number would lose the zero." },
  { cell: "9007199254740993", type: "decimal", value: '"9007199254740993"', note: "Beyond what a JSON number keeps." },
  { cell: "007", type: "string", value: '"007"', note: "Zeros in front: an article number, not a quantity." },
  { cell: "1e5", type: "string", value: '"1e5"', note: "" },
  { cell: "1,5", type: "string", value: '"1,5"', note: "In quotes. Only a point separates decimals." },
  { cell: "true", type: "boolean", value: "true", note: "Only `true` and `false`, in small letters." },
  { cell: "TRUE", type: "string", value: '"TRUE"', note: "" },
  { cell: "2026-11-20", type: "date", value: '"2026-11-20"', note: "A text that is known to be a date." },
  {
    cell: "2026-11-20T09:30:00Z",
    type: "timestamp",
    value: '"2026-11-20T09:30:00Z"',
    note: "RFC 3339, with a zone; the text stays.",
  },
  { cell: "20.11.2026", type: "string", value: '"20.11.2026"', note: "" },
  { cell: "", type: "string", value: "null", note: "An empty cell is null." },
  { cell: '""', type: "string", value: '""', note: "A quoted empty cell is the empty text." },
  { cell: '{"a":1}', type: "string", value: '"{\\"a\\":1}"', note: "Text; JSON in cells is not opened." },
];

/** A member of a JSON row, as it stands in the file and in the row. */
export const jsonSamples: readonly { text: string; type: string; note: string }[] = [
  { text: "42", type: "integer", note: "" },
  {
    text: "12345678901234567890",
    type: "integer",
    note: "Every digit is kept in the row; JavaScript code sees the nearest double.",
  },
  { text: "1.10", type: "number", note: "Kept as it is written." },
  { text: "true", type: "boolean", note: "" },
  { text: '"2026-11-20"', type: "date", note: "" },
  { text: '"2026-11-20T09:30:00Z"', type: "timestamp", note: "" },
  { text: '"text"', type: "string", note: "" },
  { text: "null", type: "string", note: "Null is kept; a member that is missing stays missing." },
  { text: '{"a":[1,2]}', type: "object", note: "Up to 64 levels." },
  { text: "[1,2]", type: "array", note: "" },
];

/** A value of a Parquet file, as DuckDB's SQL, and the value in the row as JSON text. */
export const parquetSamples: readonly { name: string; sql: string; type: string; value: string; note: string }[] = [
  { name: "INT32", sql: "42::integer", type: "integer", value: "42", note: "" },
  {
    name: "INT64",
    sql: "9007199254740991::bigint",
    type: "integer",
    value: "9007199254740991",
    note: "While all values of the column are within ±(2^53 - 1).",
  },
  {
    name: "INT64 beyond",
    sql: "9007199254740993::bigint",
    type: "decimal",
    value: '"9007199254740993"',
    note: "Then the whole column is texts.",
  },
  { name: "DECIMAL", sql: "1.10::decimal(10, 2)", type: "decimal", value: '"1.10"', note: "" },
  { name: "DOUBLE", sql: "0.1::double", type: "number", value: "0.1", note: "" },
  { name: "NaN", sql: "'nan'::double", type: "number", value: "null", note: "" },
  { name: "Infinity", sql: "'inf'::double", type: "mixed", value: '"Infinity"', note: "" },
  { name: "BOOLEAN", sql: "true", type: "boolean", value: "true", note: "" },
  { name: "STRING", sql: "'text'", type: "string", value: '"text"', note: "" },
  { name: "BYTE_ARRAY", sql: "'\\x00\\xff'::blob", type: "string", value: '"AP8="', note: "Base64." },
  { name: "DATE", sql: "date '2026-11-20'", type: "date", value: '"2026-11-20"', note: "" },
  {
    name: "TIMESTAMP",
    sql: "timestamp '2026-11-20 09:30:00.12'",
    type: "timestamp",
    value: '"2026-11-20T09:30:00.12Z"',
    note: "Without a zone it is taken for UTC.",
  },
  {
    name: "TIMESTAMP, UTC",
    sql: "timestamptz '2026-11-20 10:30:00+01'",
    type: "timestamp",
    value: '"2026-11-20T09:30:00Z"',
    note: "",
  },
  { name: "TIME", sql: "time '10:00:00'", type: "string", value: '"10:00:00"', note: "" },
  { name: "LIST", sql: "[1, 2]", type: "array", value: "[1,2]", note: "" },
  { name: "STRUCT", sql: "{'a': 1}", type: "object", value: '{"a":1}', note: "" },
  { name: "MAP", sql: "map {'k': 1}", type: "object", value: '{"k":1}', note: "" },
  { name: "null", sql: "null::varchar", type: "string", value: "null", note: "" },
];

/** A value of a result as JSON text, the CSV cell, and the type of a Parquet column that has only such values. */
export const exportSamples: readonly { value: string; csv: string; parquet: string; note: string }[] = [
  { value: '"text"', csv: '"text"', parquet: "VARCHAR", note: "Texts are always quoted in CSV." },
  { value: '""', csv: '""', parquet: "VARCHAR", note: "The empty text." },
  {
    value: "null",
    csv: "",
    parquet: "VARCHAR",
    note: "Null: an empty cell without quotes. In Parquet null, in a column of any type.",
  },
  { value: "42", csv: "42", parquet: "BIGINT", note: "" },
  { value: "0.5", csv: "0.5", parquet: "DOUBLE", note: "" },
  { value: "9007199254740993", csv: "9007199254740993", parquet: "VARCHAR", note: "A `DOUBLE` would lose digits." },
  { value: "1.10", csv: "1.10", parquet: "DOUBLE", note: "The same number." },
  { value: "true", csv: "true", parquet: "BOOLEAN", note: "" },
  {
    value: '"2026-11-20T09:30:00Z"',
    csv: '"2026-11-20T09:30:00Z"',
    parquet: "VARCHAR",
    note: "Your texts stay texts. Times of the service, such as `producedAt`, are `TIMESTAMPTZ`.",
  },
  { value: '"a \\"b\\""', csv: '"a ""b"""', parquet: "VARCHAR", note: "A quote is doubled." },
  {
    value: "[1,2]",
    csv: '"[1,2]"',
    parquet: "VARCHAR",
    note: "Lists, and objects below the first level, as JSON text.",
  },
  { value: '{"a":1}', csv: '"{""a"":1}"', parquet: "VARCHAR", note: "As above." },
];
