// Makes the generated modules of the Python client from openapi.json; with `--check` it only says whether they are current.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isTypedDictName, pythonTypes } from "./python-types.mjs";
import { providers } from "../../packages/cli/src/map/providers.ts";

const folder = new URL("../../clients/python/src/rowmill/_generated/", import.meta.url);
const document = JSON.parse(readFileSync(new URL("../../packages/contract/openapi.json", import.meta.url), "utf8"));
const METHODS = ["get", "put", "post", "patch", "delete", "options"];

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => (item[method] === undefined ? [] : [{ method, path, ...item[method] }])),
);
const head = (title, source) =>
  `"""${title}. Generated from ${source} by \`npm run generate\`; do not edit."""\n\nfrom __future__ import annotations\n\n`;

const files = {
  "__init__.py": "",
  "types.py": head("Types of the API", "packages/contract/openapi.json") + pythonTypes(document, operations),
  "operations.py": head("Method and path of each operation", "packages/contract/openapi.json") + operationsModule(),
  "providers.py": head("Where models are, by their names", "packages/cli/src/map/providers.ts") + providersModule(),
};

function operationsModule() {
  const lines = operations.map(
    ({ operationId, method, path }) =>
      `    ${JSON.stringify(operationId)}: (${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}),`,
  );
  return `from typing import Dict, Tuple\n\nOPERATIONS: Dict[str, Tuple[str, str]] = {\n${lines.join("\n")}\n}\n`;
}

/** The command line and the Python client find the same model under the same name. */
function providersModule() {
  const tuple = (texts) => `(${texts.map((text) => `${JSON.stringify(text)},`).join(" ")})`;
  const lines = providers.map(
    ({ name, type, baseUrl, keyVariables, baseUrlVariables = [], models }) =>
      `    Provider(${[name, type, baseUrl].map((text) => JSON.stringify(text)).join(", ")}, ` +
      `${tuple(keyVariables)}, ${tuple(baseUrlVariables)}, ${models === undefined ? "None" : `r${JSON.stringify(models.source).replaceAll("\\\\", "\\")}`}),`,
  );
  return `from typing import NamedTuple, Optional, Tuple


class Provider(NamedTuple):
    name: str
    type: str
    base_url: str
    key_variables: Tuple[str, ...]
    base_url_variables: Tuple[str, ...]
    models: Optional[str]


PROVIDERS: Tuple[Provider, ...] = (
${lines.join("\n")}
)
`;
}

const isCheck = process.argv.includes("--check");
for (const [name, text] of Object.entries(files)) {
  const target = new URL(name, folder);
  if (!isCheck) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(target, text);
  } else if (readFileSync(target, "utf8") !== text) {
    console.error(`clients/python/src/rowmill/_generated/${name} is stale: run \`npm run generate\``);
    process.exitCode = 1;
  }
}
const count = files["types.py"].split("\n").filter(isTypedDictName).length;
if (process.exitCode !== 1) console.log(`${operations.length} operations, ${count} types of objects for Python`);
