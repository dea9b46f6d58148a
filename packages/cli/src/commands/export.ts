import { Command, Option } from "@commander-js/extra-typings";
import type { Body } from "@rowmill/client";
import { commaSeparated } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { shownPath } from "../frame/shown-path.ts";
import { findId } from "../frame/find.ts";
import { plural } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import { agreeToReplace } from "../map/consent.ts";
import { parseDestination } from "../map/destination.ts";
import { writeFile } from "../map/finish.ts";
import { delimiter } from "../map/reading.ts";

/** The input, or a column of it, in any file but the table, which has the names as they are. */
const isOfInput = (column: string): boolean => column === "input" || column.startsWith("input.");

const TYPES = ["table", "outputs", "failures", "resolved_results", "rows"] as const;

export const exportRun: CommandFile = {
  examples: [
    ["rowmill export -o labeled.csv", "the last run as a table: input, output and state of each row"],
    [
      "rowmill export run_01jd3v -o failures.csv --type failures --include-input",
      "its failures, with the rows that failed",
    ],
    ["rowmill export -o reasons.csv --type failures --columns input.id,code,message", "the reason for each id"],
    ["rowmill export @last -o sheet.csv --spreadsheet --columns id,industry", "for a spreadsheet, with two columns"],
    ["rowmill export -o sheet.csv --delimiter ';' --bom", "for Excel where the decimal sign is a comma"],
  ],
  create: (cli) =>
    new Command("export")
      .description("Write a file of a run's rows, over all of its retries.")
      .argument("[run]", "id, beginning of it, name, or @last", "@last")
      .requiredOption("-o, --output <file>", ".csv, .jsonl or .parquet, .gz or .zst")
      .addOption(new Option("--type <type>", "what it contains").choices(TYPES).default("table" as const))
      .addOption(new Option("--columns <names>", "these columns, in this order").argParser(commaSeparated))
      .option("--include-input", "with the columns of the input, where the type does not have them")
      .option("--spreadsheet", "guard spreadsheets against formulas in cells")
      .addOption(
        new Option(
          "--delimiter <character>",
          "between the cells of a .csv, \\t for a tab; a comma, if absent",
        ).argParser(delimiter),
      )
      .option("--bom", "begin a .csv with a byte order mark, by which Excel reads UTF-8")
      .option("--force", "replace a file that exists")
      .action((typed, options) => exportTable(cli, typed, options)),
};

interface ExportOptions {
  output: string;
  type: (typeof TYPES)[number];
  columns?: string[];
  includeInput?: true;
  spreadsheet?: true;
  delimiter?: string;
  bom?: true;
  force?: true;
}

async function exportTable(cli: Cli, typed: string, options: ExportOptions): Promise<void> {
  const destination = parseDestination(options.output);
  if (destination.type === "stdout")
    throw usageProblem("An export is a file.", "Name one with -o; `rowmill results` prints rows.");
  refuseColumnsOfLines(options, destination.format);
  await agreeToReplace(cli, options, destination.path);
  const rowmill = await cli.client();
  const run = await rowmill.runs.get(await findId(rowmill, "run", typed), { signal: cli.signal });
  const written = await writeFile(cli, rowmill, run, destination, contentOf(options));
  cli.output.result({ runId: run.id, ...written }, () => {
    const path = cli.terminal.style("stdout", "bold", shownPath(written.path, cli.terminal.directory));
    return `${path}: ${plural(written.rowCount ?? 0, "row")}, SHA-256 ${written.sha256 ?? "?"}`;
  });
}

/** Only the table has the same columns in each line. */
function refuseColumnsOfLines({ type, columns }: ExportOptions, format: string): void {
  if (columns === undefined || format !== "jsonl" || type === "table") return;
  throw usageProblem(
    `A .jsonl file of ${type} has no columns: its lines are nested.`,
    `Leave out --columns, or write a .csv or .parquet file${type === "resolved_results" ? ", or use --type table" : ""}.`,
  );
}

function contentOf({
  type,
  columns,
  includeInput,
  spreadsheet,
  delimiter: between,
  bom,
}: ExportOptions): Omit<Body<"createExport">, "format" | "compression"> {
  const hasInput = includeInput === true || columns?.some(isOfInput) === true;
  return {
    ...(type === "table" ? { type: "resolved_results", layout: "flat" } : { type }),
    ...(columns === undefined ? {} : { columns }),
    ...(hasInput && type !== "table" ? { includeInput: true } : {}),
    ...(spreadsheet === undefined ? {} : { spreadsheet }),
    ...(between === undefined ? {} : { delimiter: between }),
    ...(bom === undefined ? {} : { byteOrderMark: bom }),
  };
}
