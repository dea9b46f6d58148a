import { Command, Option } from "@commander-js/extra-typings";
import { collected, integer, money, number } from "../frame/arguments.ts";
import { delimiterOption, encodingOption, formatOption, headerRowOption, skipInvalidOption } from "../map/reading.ts";
import type { CommandFile } from "../frame/command.ts";

const MODEL = "Model:";
const OTHER = "Other ways to process a row:";
const RUN = "Rows and money:";
const FILES = "Files:";

export const map: CommandFile = {
  examples: [
    [
      "rowmill map customers.csv --prompt 'Which industry is {{company}} in? {{description}}' --model gpt-5-mini --out 'industry, confidence number' -o labeled.csv",
      "label every row with a model",
    ],
    [
      "rowmill map reviews.parquet --prompt @prompt.txt --model ollama/llama3.2 --out 'mood: good|bad|mixed' --limit 20",
      "the same with a model on this machine, for 20 rows, printed as they finish",
    ],
    ["rowmill map rows.jsonl --transform clean.js -o clean.jsonl", "run your own JavaScript for every row"],
    [
      "cat orders.csv | rowmill map - --http 'GET https://api.example.com/orders/{{id}}' --out 'status' --max-cost 1 -o orders.csv.gz",
      "send a request for every row of a pipe",
    ],
  ],
  create: (cli) =>
    new Command("map")
      .description(
        "Process every row of a file, and write a table with the input, the output and the state of each row.",
      )
      .argument("<file>", "CSV, TSV, JSON, JSON Lines or Parquet, packed or not; - for stdin")
      .addOption(new Option("-p, --prompt <text>", "prompt with {{column}} in it; @file reads it").helpGroup(MODEL))
      .addOption(new Option("-m, --model <name>", "such as gpt-5-mini, claude-…, ollama/llama3.2").helpGroup(MODEL))
      .addOption(new Option("--system <text>", "system message").helpGroup(MODEL))
      .addOption(new Option("--image <column>", "column with the URL of an image").helpGroup(MODEL))
      .addOption(
        new Option("--out <fields>", "output: 'name type: description, …', a JSON Schema, or its file").helpGroup(
          MODEL,
        ),
      )
      .addOption(new Option("--connection <name>", "a connection of the service, also for --http").helpGroup(MODEL))
      .addOption(new Option("--base-url <url>", "where the model is (OPENAI_BASE_URL)").helpGroup(MODEL))
      .addOption(new Option("--price <in/out>", "US dollars for a million tokens, such as 0.25/2.00").helpGroup(MODEL))
      .addOption(new Option("--temperature <number>", "randomness").argParser(number(0, 2)).helpGroup(MODEL))
      .addOption(
        new Option("--max-output-tokens <count>", "most tokens of one response").argParser(integer(1)).helpGroup(MODEL),
      )
      .addOption(new Option("--no-cache", "ask again for a prompt that was completed before").helpGroup(MODEL))
      .addOption(new Option("--transform <file>", "JavaScript: export default (row) => …").helpGroup(OTHER))
      .addOption(
        new Option("--http <request>", "'METHOD URL' with {{column}} in it; a path with --connection").helpGroup(OTHER),
      )
      .addOption(new Option("--header <line>", "header of --http, repeatable").argParser(collected).helpGroup(OTHER))
      .addOption(new Option("--body <text>", "body of --http: JSON or text with {{column}}").helpGroup(OTHER))
      .addOption(new Option("--mock", "echo the row: a rehearsal that costs nothing").helpGroup(OTHER))
      .addOption(new Option("--spec <file>", "the body of a job spec, as JSON").helpGroup(OTHER))
      .addOption(
        new Option("-o, --output <file>", ".csv, .jsonl or .parquet, .gz or .zst; - for NDJSON").helpGroup(FILES),
      )
      .addOption(new Option("--force", "replace a file that exists").helpGroup(FILES))
      .addOption(formatOption().helpGroup(FILES))
      .addOption(encodingOption().helpGroup(FILES))
      .addOption(delimiterOption().helpGroup(FILES))
      .addOption(headerRowOption().helpGroup(FILES))
      .addOption(skipInvalidOption().helpGroup(FILES))
      .addOption(new Option("--limit <count>", "the first rows only").argParser(integer(1)).helpGroup(RUN))
      .addOption(new Option("--sample <count>", "rows drawn at random").argParser(integer(1)).helpGroup(RUN))
      .addOption(
        new Option("--seed <number>", "the same seed draws the same rows").argParser(integer(0)).helpGroup(RUN),
      )
      .addOption(new Option("-y, --yes", "agree to the price").helpGroup(RUN))
      .addOption(new Option("--max-cost <usd>", "spend at most this; then pause").argParser(money).helpGroup(RUN))
      .addOption(new Option("--no-trial", "do not show the first rows before the price").helpGroup(RUN))
      .addOption(
        new Option("--concurrency <count>", "most rows in flight at once").argParser(integer(1)).helpGroup(RUN),
      )
      .addOption(new Option("--retry", "process rows that failed again").helpGroup(RUN))
      .addOption(new Option("-v, --verbose", "show the prompt beside the first rows").helpGroup(RUN))
      .addOption(new Option("--keep", "leave the local service running").helpGroup("Service:"))
      // Help is shown without reading what does the work.
      .action(async (file, options) => (await import("../map/map-rows.ts")).mapFile(cli, file, options)),
};
