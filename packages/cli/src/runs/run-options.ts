/** Options of the commands that start a run. */
import { Option } from "@commander-js/extra-typings";
import { integer, money } from "../frame/arguments.ts";

export const RUN_GROUP = "Rows and money:";

export const limitOption = () =>
  new Option("--limit <count>", "the first rows only").argParser(integer(1)).helpGroup(RUN_GROUP);
export const sampleOption = () =>
  new Option("--sample <count>", "rows drawn at random").argParser(integer(1)).helpGroup(RUN_GROUP);
export const seedOption = () =>
  new Option("--seed <number>", "the same seed draws the same rows").argParser(integer(0)).helpGroup(RUN_GROUP);
export const yesOption = () => new Option("-y, --yes", "agree to the price").helpGroup(RUN_GROUP);
export const maxCostOption = () =>
  new Option("--max-cost <usd>", "spend at most this; then pause").argParser(money).helpGroup(RUN_GROUP);
export const outputOption = () =>
  new Option("-o, --output <file>", "write the table at the end: .csv, .jsonl or .parquet, .gz or .zst");
export const detachOption = () => new Option("-d, --detach", "start it, and do not wait");

/** How many things a list shows. */
export const shownOption = () => new Option("-n, --limit <count>", "show at most this many").argParser(integer(1));
