/** The page of data types: what each format gives and gets. */
import { csvEncodings, datasetFormats } from "@rowmill/contract/dataset-uploads";
import { columnTypes } from "@rowmill/contract/datasets";
import { exportCompressions, exportFormats } from "@rowmill/contract/exports";
import { csvSamples, exportSamples, jsonSamples, parquetSamples } from "./data-type-samples.ts";
import { cell, code, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

/** Also of texts that hold pipes and quotes. */
const codeCell = (text: string): string => (text === "" ? "(nothing)" : code(cell(text).replaceAll("&lt;", "<")));

export const dataTypesPage = (): Page => ({
  path: "data-types.md",
  text: `${paragraphs(
    "# Data types and formats",
    GENERATED,
    "A row is a JSON object. What comes in as CSV or Parquet becomes JSON without losing a digit; what goes out keeps the difference between null, the empty text, numbers and texts.",
    `In: ${datasetFormats.map(code).join(", ")}; plain, or compressed with gzip or zstd. Out: ${exportFormats.map(code).join(", ")}; compression ${exportCompressions.map(code).join(", ")}. The format of a file is found from its name and content if \`format\` is absent.`,
    `Each column of a dataset has one type: ${columnTypes.map(code).join(", ")}. \`mixed\` has values of several types. \`decimal\`, \`date\` and \`timestamp\` are texts in the row, and known to be what they are. A column that has only null is \`string\`.`,
    "## CSV and TSV in",
    `RFC 4180. The first line names the columns unless \`csv.header\` is false; a column without a name there is called \`column_\` and its number, and a name may stand only once. If \`csv.delimiter\` is absent, a first line such as \`sep=;\`, as Excel writes it, declares the delimiter, also where another one would split the rows; without such a line it is found from the first rows. That line is never a row. Encodings are ${csvEncodings.map(code).join(", ")}. A column has the type that **all** its cells fit; else it is \`string\`, and each cell is its text. A cell alone in its column:`,
    table(
      ["cell", "type", "value in the row", ""],
      csvSamples.map(({ cell: written, type, value, note }) => [
        codeCell(written),
        code(type),
        codeCell(value),
        cell(note),
      ]),
    ),
    "## JSON and JSONL in",
    "JSONL has an object on each line; JSON is a list of objects. The text of each row is kept as it is.",
    table(
      ["member", "type", ""],
      jsonSamples.map(({ text, type, note }) => [codeCell(text), code(type), cell(note)]),
    ),
    "Refused: values that are not objects, text that is not UTF-8, `\\u0000`, lone surrogates, members called `__proto__`, and more than 64 levels.",
    "## Parquet in",
    table(
      ["Parquet", "type", "value in the row", ""],
      parquetSamples.map(({ name, type, value, note }) => [code(name), code(type), codeCell(value), cell(note)]),
    ),
    "## What an export writes",
    "JSONL has the values as they are. In CSV and Parquet:",
    table(
      ["value", "CSV cell", "Parquet column", ""],
      exportSamples.map(({ value, csv, parquet, note }) => [codeCell(value), codeCell(csv), code(parquet), cell(note)]),
    ),
    "A Parquet column has the type that the contract or the job spec's output schema declares, if all values fit it; else the narrowest that they fit; `VARCHAR` where they are of several kinds. With `layout: flat` the fields of the output are columns, next to those of the input; with `layout: nested` objects are opened one level. With `formulaGuard: true`, a CSV text that a spreadsheet would run as a formula gets a leading `'`.",
    "## Keep the types of a Parquet file",
    "The columns of the input go through JSON: a `TIMESTAMP`, a `DECIMAL` or a list of a Parquet file is text in the Parquet file of an export. A table of the whole dataset has its rows in the order of the file, so the new columns fit beside the original ones. In DuckDB:",
    "```sql\ncopy (select a.*, b.mood, b.row_state from 'reviews.parquet' a positional join 'moods.parquet' b)\n  to 'labeled.parquet'\n```",
    "In pandas, `pandas.read_parquet('reviews.parquet').join(pandas.read_parquet('moods.parquet')[['mood', 'row_state']])` does the same where the index numbers the rows from 0. Of a part of the dataset, join by a column that identifies a row.",
    "## Into PostgreSQL",
    "`psql` loads a CSV into a table with the same columns, and keeps every value:",
    "```text\n\\copy results from 'results.csv' csv header\n```",
    'A cell without quotes is null, and `""` is the empty text. Lists and objects fit columns of type `jsonb`; texts of digits fit `numeric` and `bigint`. JSON Lines go into one column of type `jsonb`. Name characters that JSON never has, since `\\copy` without `csv` takes each `\\` of a line for its own:',
    "```text\n\\copy raw from 'results.jsonl' with (format csv, quote E'\\x01', delimiter E'\\x02')\n```",
  )}\n`,
});
