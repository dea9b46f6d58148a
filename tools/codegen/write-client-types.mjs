// Makes the client's types from openapi.json; with `--check` it only says whether the file is current.
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const target = new URL("../../packages/client/src/generated/openapi.ts", import.meta.url);
const ast = await openapiTS(new URL("../../packages/contract/openapi.json", import.meta.url), {
  alphabetize: false,
  emptyObjectsUnknown: true,
});
const text = `// Generated from packages/contract/openapi.json by \`npm run generate\`; do not edit.\n${astToString(ast)}`;

if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== text) {
    console.error("packages/client/src/generated/openapi.ts is stale: run `npm run generate`");
    process.exit(1);
  }
} else {
  mkdirSync(new URL(".", target), { recursive: true });
  writeFileSync(target, text);
  console.log("wrote the client's types");
}
