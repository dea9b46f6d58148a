/**
 * The demo's dataset: 42,049 US zip codes, each with the airport of its town where there is one. Made of two files of the
 * npm package vega-datasets. It has what real files have: leading zeros, quoted names with commas, missing values.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The package names only its code; its data lies beside that. */
const dataFolder = new URL("../data/", import.meta.resolve("vega-datasets"));

const HEADER = "zip_code,latitude,longitude,city,state,county,airport_code,airport_name";

/** The CSV file, line by line. */
export async function* placesCsv(): AsyncGenerator<string> {
  const airports = await readAirports();
  yield `${HEADER}\n`;
  let isFirst = true;
  for await (const line of linesOf("zipcodes.csv")) {
    if (isFirst || line === "") {
      isFirst = false;
      continue;
    }
    const [, , , city = "", state = ""] = line.split(",");
    const airport = airports.get(`${city}, ${state}`);
    // A missing value is an empty cell; a name with a comma or a quote is quoted.
    yield `${line},${airport?.code ?? ""},${airport === undefined ? "" : quote(airport.name)}\n`;
  }
}

/** Rows of the file, counted from the source, so that the demo knows what must come out. */
export async function countPlaces(): Promise<number> {
  let lines = 0;
  for await (const line of linesOf("zipcodes.csv")) if (line !== "") lines++;
  return lines - 1;
}

async function readAirports(): Promise<Map<string, { code: string; name: string }>> {
  const airports = new Map<string, { code: string; name: string }>();
  for await (const line of linesOf("airports.csv")) {
    const [code = "", name = "", city = "", state = ""] = splitCsv(line);
    const town = `${city}, ${state}`;
    if (code !== "iata" && !airports.has(town)) airports.set(town, { code, name });
  }
  return airports;
}

const linesOf = (name: string) =>
  createInterface({ input: createReadStream(new URL(name, dataFolder)), crlfDelay: Number.POSITIVE_INFINITY });
const quote = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Enough for a file whose quoted cells hold no line breaks. */
function splitCsv(line: string): string[] {
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = ""]) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
}
