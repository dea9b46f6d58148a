/** State belongs to a part that is made with the service, and ends with it. A module keeps none, but for what is listed here. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const server = "packages/server/src";

/** By file: the names, and why two services of one process may share them. None is added without a reason. */
const shared: Record<string, { names: string[]; why: string }> = {
  "platform/database/ask-together.ts": {
    names: ["grouping"],
    why: "what belongs to a transaction, and ends with it",
  },
  "platform/database/bound-query.ts": { names: ["listsOf"], why: "what a connection has prepared, and ends with it" },
  "platform/database/database.ts": { names: ["direct"], why: "what belongs to a database, and ends with it" },
  "platform/database/distribution-marks.ts": {
    names: ["distributed"],
    why: "what belongs to a way to a database, and ends with it",
  },
  "platform/database/statement-group.ts": {
    names: ["described"],
    why: "what a connection has prepared, and ends with it",
  },
  "platform/http/read-body.ts": { names: ["linesOfRows"], why: "what belongs to a body, and ends with it" },
  "platform/http/validate.ts": {
    names: ["first", "all"],
    why: "compilers of the contract's schemas, made when needed",
  },
  "platform/ids.ts": {
    names: ["lastMs"],
    why: "the time of the last id: the next one comes behind it in all of the process",
  },
  "platform/shared-time.ts": {
    names: ["clocks"],
    why: "clocks of databases, each until its service stops: all of the process makes ids",
  },
  "platform/watchdog/watchdog.ts": { names: ["listeners", "running"], why: "one thread watches the process" },
  "platform/zstd.ts": { names: ["scratch"], why: "bytes that are used within one call" },
  "process-metrics.ts": { names: ["collected"], why: "what describes the process, and lasts as long" },
  "processors/llm/costs.ts": { names: ["parsedPrices"], why: "what was computed of a price, and ends with it" },
  "processors/llm/models.ts": {
    names: ["models"],
    why: "what was made of an address and a name, and holds nothing else",
  },
  "processors/paid-call.ts": {
    names: ["waitingSignals"],
    why: "what was composed of a signal, and ends with it",
  },
  "processors/redact.ts": { names: ["redacts"], why: "what was found of a secret, and ends with its connection" },
  "resources/reference/reference-handlers.ts": { names: ["openApi"], why: "a form of the contract, made when needed" },
  "resources/runs/items.ts": {
    names: ["lastRun", "lastPrefix", "lastTime", "written"],
    why: "texts that were computed last: the next item mostly has the same; bytes that are used within one call",
  },
  "resources/runs/time-text.ts": { names: ["last", "lastStart"], why: "texts that were computed last" },
};

/** Entries of threads and processes of their own: nothing else imports them. */
const entries = /(?:-worker|-thread|-child)\.ts$/;

const collection =
  /^(?:export )?const (\w+)(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet)\b|\[\];|\{\};)/gm;
/** Of other classes than these, an object is taken to have state. */
const object =
  /^(?:export )?const (\w+)(?:: [^=]+)? = new (?!(?:Map|Set|WeakMap|WeakSet|RegExp|URL|Error|Uint8Array|Kysely|ColumnNames|AsyncLocalStorage)\b)/gm;
const variable = /^(?:export )?let (\w+)/gm;

/** Module-level variables, collections that the file changes, and objects. */
function stateIn(text: string): string[] {
  // Template strings contain the sources of other programs.
  const own = text.replaceAll(/`[^`]*`/g, "``");
  const variables = [...own.matchAll(variable)].map(([, name]) => String(name));
  const collections = [...own.matchAll(collection)]
    .map(([, name]) => String(name))
    .filter((name) => new RegExp(`\\b${name}\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice)\\(`).test(own));
  const objects = [...own.matchAll(object)].map(([, name]) => String(name));
  return [...variables, ...collections, ...objects];
}

test("modules of the server keep no state", () => {
  const found = globSync(`${server}/**/*.ts`)
    .filter((file) => !/\.test\.ts$|[/-]testing[/.]|\/testing\//.test(file) && !entries.test(file))
    .map((file) => [file.slice(server.length + 1), stateIn(readFileSync(file, "utf8")).toSorted()] as const)
    .filter(([, names]) => names.length > 0);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(shared).map(([file, { names }]) => [file, names.toSorted()])),
  );
});
