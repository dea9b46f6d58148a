/** The file of `rowmill apply`: its shape is checked here, what its things contain by the service. */
import { isPair, parseDocument, visit } from "yaml";
import { refuseRounded } from "../frame/arguments.ts";
import { exactInteger, isInSchema, isRounded } from "../frame/exact-json.ts";
import { readNamedFile } from "../frame/named-file.ts";
import { nearestTo } from "../frame/nearest.ts";
import { usageProblem } from "../frame/problem.ts";

/** An item as it stands in the file. */
export type Item = Readonly<Record<string, unknown>>;

export const sections = ["connections", "jobSpecs", "webhookEndpoints", "alertRules"] as const;
export type Section = (typeof sections)[number];
export type Spec = Readonly<Record<Section, readonly Item[]>>;

/** What an item is found by. */
export const keyOf: Record<Section, string> = {
  connections: "name",
  jobSpecs: "name",
  // Of a URL, the service shows only the origin and the last characters.
  webhookEndpoints: "description",
  alertRules: "name",
};

/** A file that a person writes; aliases could make far more of it. */
const MAX_BYTES = 1024 * 1024;
const MAX_ALIASES = 100;

export function readSpec(file: string): Spec {
  const text = readNamedFile(file);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw usageProblem(`${file} is larger than ${MAX_BYTES} bytes.`, "Divide it into several files.");
  const value = parseYaml(file, text);
  if (!isObject(value))
    throw usageProblem(`${file} is not a table of sections.`, `Sections are ${sections.join(", ")}.`);
  const unknown = Object.keys(value).find((name) => !(sections as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw usageProblem(`${file} has an unknown section "${unknown}".`, adviceOnSection(unknown));
  return {
    connections: itemsOf(file, value, "connections"),
    jobSpecs: itemsOf(file, value, "jobSpecs"),
    webhookEndpoints: itemsOf(file, value, "webhookEndpoints"),
    alertRules: itemsOf(file, value, "alertRules"),
  };
}

/** Parts of the names, and what others call these things. */
const otherNames: Readonly<Record<string, Section>> = {
  specs: "jobSpecs",
  jobs: "jobSpecs",
  webhooks: "webhookEndpoints",
  endpoints: "webhookEndpoints",
  alerts: "alertRules",
  rules: "alertRules",
};

function adviceOnSection(unknown: string): string {
  const typed = nearestTo(unknown.replaceAll(/[_\s-]/g, ""), [...sections, ...Object.keys(otherNames)]);
  const meant = typed === undefined ? undefined : (otherNames[typed] ?? typed);
  const all = `Sections are ${sections.join(", ")}.`;
  return meant === undefined ? all : `Did you mean "${meant}"? ${all}`;
}

/** JSON is YAML. */
function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true, intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw usageProblem(`${file} is not YAML: ${firstLineOf(error.message)}.`, "Correct it and repeat the command.");
  visit(document, {
    Scalar(_key, scalar, ancestors) {
      const { value, source } = scalar;
      if (typeof value !== "bigint") return;
      if (!isRounded(String(value))) {
        scalar.value = Number(value);
        return;
      }
      const [section, ...path] = ancestors.flatMap((ancestor) => (isPair(ancestor) ? [String(ancestor.key)] : []));
      if (section !== "jobSpecs" || !isInSchema(path)) refuseRounded(source ?? String(value), file);
      scalar.value = exactInteger(value);
    },
  });
  return document.toJS({ maxAliasCount: MAX_ALIASES });
}

/** What follows shows the place, and has several lines. */
const firstLineOf = (message: string): string => (message.split("\n", 1)[0] ?? "").replace(/[:.]$/, "");

function itemsOf(file: string, value: Record<string, unknown>, section: Section): Item[] {
  const list = value[section] ?? [];
  const key = keyOf[section];
  if (!Array.isArray(list))
    throw usageProblem(`${section} in ${file} is not a list.`, `Begin each item with "- ${key}: …".`);
  const seen = new Set<string>();
  return list.map((item: unknown, at) => {
    const named: unknown = isObject(item) ? item[key] : undefined;
    if (!isObject(item) || typeof named !== "string" || named === "")
      throw usageProblem(`${section}[${at}] in ${file} has no ${key}.`, `Begin it with "- ${key}: …".`);
    if (seen.has(named)) throw usageProblem(`${section} in ${file} has "${named}" twice.`, "Keep one of them.");
    seen.add(named);
    return item;
  });
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
