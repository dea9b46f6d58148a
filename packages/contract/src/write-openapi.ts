/** Writes `openapi.json` beside the sources; with `--check` it only says whether the file is what the contract makes. */
import { readFileSync, writeFileSync } from "node:fs";
import { makeOpenApi } from "./openapi.ts";

const file = new URL("../openapi.json", import.meta.url);
const text = `${JSON.stringify(makeOpenApi(), null, 2)}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("packages/contract/openapi.json is stale: run `npm run generate`");
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
  console.log(`wrote ${file.pathname}`);
}
