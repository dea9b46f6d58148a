/** How the rows of a file are read, where its name and its content do not say it. */
import { Option } from "@commander-js/extra-typings";

const FORMATS = ["csv", "tsv", "json", "jsonl", "parquet"] as const;
const ENCODINGS = ["utf-8", "windows-1252", "iso-8859-1", "utf-16"] as const;

export interface Reading {
  format?: (typeof FORMATS)[number];
  /** Of the text of a table. */
  encoding?: (typeof ENCODINGS)[number];
}

export const formatOption = () =>
  new Option("--format <name>", "format of the input, if its name does not say it").choices(FORMATS);
export const encodingOption = () =>
  new Option(
    "--encoding <name>",
    "of a CSV or TSV input; if absent, UTF-8, or UTF-16 where it can be nothing else",
  ).choices(ENCODINGS);

/** Members of an upload. */
export const readingOf = ({ format, encoding }: Reading) => ({
  ...(format === undefined ? {} : { format }),
  ...(encoding === undefined ? {} : { csv: { encoding } }),
});
