/** Whether a response is what the example says, but for ids, times, secrets and what is measured. */
import type { OperationId } from "@rowmill/contract";
import type { ApiResponse } from "@rowmill/server/testing/api";
import { TIMES, toReal } from "./example-walk.ts";
import type { Walk } from "./example-walk.ts";

const ID = /^[a-z]{2,5}_[0-9a-z]{26}([0-9a-f]{8})?$/;
const IDS = /\b([a-z]{2,5})_[0-9a-z]{26}([0-9a-f]{8})?\b/g;
/** Shown once: what follows sends them, and they differ each time. */
const SECRETS = new Set(["key", "signingSecret", "inviteUrl"]);
/** Of these members only the type is compared: they are measured, made by chance, or depend on the day or the version. */
const MEASURED = new Set([
  "ageDays",
  "durationMs",
  "etaSeconds",
  "headers",
  "ip",
  "oldestEventSeconds",
  "pending",
  "percent",
  "redactedKey",
  "rowsPerSecond",
  "running",
  "runs",
  "jobs",
  "sha256",
  "startedAt",
  "lastUsedAt",
  "nextCursor",
  "storageBytes",
  "version",
]);
/** A long list is cut in the example, and an object of a free form is not shown as a whole. */
const CUT_OBJECTS = new Set<OperationId>(["getOpenApi"]);

export function compare(walk: Walk, id: OperationId, reply: ApiResponse<unknown>): void {
  const { response, text, responseHeaders = {} } = walk.examples[id];
  const problems: string[] = [];
  if (response !== undefined) match(walk, response, reply.body, id, problems, CUT_OBJECTS.has(id));
  if (text !== undefined && !masked(reply.text).includes(masked(toReal(walk, text))))
    problems.push(`${id} says\n${text}\nand is\n${reply.text}`);
  for (const name of Object.keys(responseHeaders))
    if (reply.headers[name.toLowerCase()] === undefined) problems.push(`${id} has no header ${name}`);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

const masked = (text: string): string =>
  text
    .replace(IDS, "$1_…")
    .replace(TIMES, "…")
    .replaceAll(/^id: \d+$/gm, "id: …");

function match(walk: Walk, said: unknown, is: unknown, at: string, problems: string[], isCut: boolean): void {
  const differs = (): void =>
    void problems.push(`${at}: the example says ${JSON.stringify(said)}, the service ${JSON.stringify(is)}`);
  const name = at.slice(at.lastIndexOf(".") + 1);
  if (MEASURED.has(name)) {
    if (typeof said !== typeof is && said !== null && is !== null) differs();
  } else if (Array.isArray(said)) {
    if (!Array.isArray(is) || is.length < said.length || (said.length === 0 && is.length > 0)) return differs();
    for (const [n, item] of said.entries()) match(walk, item, is[n], `${at}[${n}]`, problems, isCut);
  } else if (typeof said === "object" && said !== null) {
    if (typeof is !== "object" || is === null) return differs();
    const names = Object.keys(said);
    if (!isCut && names.toSorted().join() !== Object.keys(is).toSorted().join()) differs();
    for (const key of names) match(walk, Reflect.get(said, key), Reflect.get(is, key), `${at}.${key}`, problems, isCut);
  } else if (typeof said === "string" && typeof is === "string") {
    if (!isSame(walk, said, is, name)) differs();
  } else if (said !== is) differs();
}

function isSame(walk: Walk, said: string, is: string, name: string): boolean {
  if (SECRETS.has(name)) {
    learn(walk, said, is);
    return true;
  }
  if (ID.test(said) && ID.test(is) && said.split("_")[0] === is.split("_")[0]) {
    learn(walk, said, is);
    return toReal(walk, said) === is;
  }
  return masked(toReal(walk, said)) === masked(is) || masked(said) === masked(is);
}

/** The first response that shows it says what an id of the examples stands for; rows have the letters of their dataset. */
function learn(walk: Walk, said: string, is: string): void {
  const isRowOfKnown = said.startsWith("row_") && toReal(walk, said) !== said;
  if (walk.real.has(said) || isRowOfKnown) return;
  walk.real.set(said, is);
  if (said.startsWith("ds_")) walk.real.set(said.replace("ds_", "row_"), is.replace("ds_", "row_"));
  const token = said.split("#token=")[1];
  if (token !== undefined) walk.real.set(token, is.split("#token=")[1] ?? "");
}
