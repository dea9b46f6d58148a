/** What happens to a row: the options as the body of a job spec. Its columns are checked before anything is made. */
import type { Body } from "@rowmill/client";
import { refuseRounded } from "../frame/arguments.ts";
import { parseBody } from "../frame/exact-json.ts";
import type { ReadNumbers } from "../frame/exact-json.ts";
import { readNamedFile } from "../frame/named-file.ts";
import { Problem, usageProblem } from "../frame/problem.ts";
import { OutError, parseSchema, parseShorthand } from "./out-shorthand.ts";
import type { JsonSchema } from "./out-shorthand.ts";
import type { MapOptions } from "./map-options.ts";
import { nearestTo } from "../frame/nearest.ts";
import { optionOf } from "./shell-command.ts";
import { completeTemplate, completeTemplates, memberOf } from "./templates.ts";
import type { UnknownColumn } from "./templates.ts";

export type Definition = Omit<Body<"createJobSpec">, "name" | "description" | "metadata">;
export type Kind = "llm" | "http" | "transform" | "mock" | "spec";

const kinds = ["prompt", "http", "transform", "mock", "spec"] as const;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export const CONNECTION_SECRET = /\{\{\s*connection\s*\.\s*secret\s*\}\}/;
/** Of a connection, a template has the secret alone. */
const OF_CONNECTION = /\{\{\s*connection\b[^{}]*\}\}/;

/** Beside another way they would do nothing, and a price or a key that nobody uses is missed too late. */
const ofSomeWays: readonly (readonly [option: keyof MapOptions, ...ways: (typeof kinds)[number][]])[] = [
  ["model", "prompt"],
  ["system", "prompt"],
  ["image", "prompt"],
  ["baseUrl", "prompt"],
  ["price", "prompt"],
  ["temperature", "prompt"],
  ["maxOutputTokens", "prompt"],
  ["connection", "prompt", "http"],
  ["header", "http"],
  ["body", "http"],
];

/** Exactly one of them says what happens to a row. */
export function kindOf(options: MapOptions): Kind {
  const given = kinds.filter((name) => options[name] !== undefined);
  const [only] = given;
  if (only === undefined)
    throw usageProblem(
      "Nothing says what happens to a row.",
      "Use --prompt TEXT with --model NAME, --transform FILE, --http 'POST https://…', --spec FILE, or --mock.",
    );
  if (given.length > 1) throw usageProblem(`--${given.join(" and --")} exclude each other.`, "Use one of them.");
  if (only === "prompt" && options.model === undefined)
    throw usageProblem("--prompt needs a model.", "Name one with --model, such as gpt-5-mini or ollama/llama3.2.");
  if (only === "mock" && options.out !== undefined)
    throw usageProblem("--mock echoes the row and has no other output.", "Leave out --out.");
  refuseIdle(options, only);
  return only === "prompt" ? "llm" : only;
}

function refuseIdle(options: MapOptions, way: (typeof kinds)[number]): void {
  for (const [name, ...ways] of ofSomeWays) {
    if (options[name] === undefined || ways.includes(way)) continue;
    const option = optionOf(name);
    throw usageProblem(
      `${option} belongs to --${ways.join(" and --")}, and not to --${way}.`,
      way === "spec" ? "Write it in the file of --spec." : `Leave out ${option}.`,
    );
  }
}

/** Files that the options name, and JSON in them: read before anything is started. */
export interface MapSources {
  kind: Kind;
  outputSchema: JsonSchema | undefined;
  /** Code of `--transform`, or text of `--spec`. */
  text: string;
}

export function readSources(options: MapOptions): MapSources {
  const kind = kindOf(options);
  const file = kind === "transform" ? options.transform : kind === "spec" ? options.spec : undefined;
  return {
    kind,
    outputSchema: options.out === undefined ? undefined : readOut(options.out, kind),
    text: file === undefined ? "" : readNamedFile(file),
  };
}

/** `connectionId` and `model` for `--prompt`. */
export function defineJob(
  options: MapOptions,
  { kind, outputSchema, text }: MapSources,
  columns: readonly string[],
  llm: { connectionId: string; model: string } | undefined,
): Definition {
  const unknown: UnknownColumn[] = [];
  const complete = (template: string): string => completeTemplate(template, columns, (name) => unknown.push(name));
  const made = ((): Definition => {
    if (kind === "mock") return { processor: { type: "mock" } };
    if (kind === "transform") return { processor: { type: "transform", code: text } };
    if (kind === "spec") {
      const definition = specOf(text);
      // Only templates are completed: code may have braces of its own.
      if (definition.processor.type === "transform" || definition.processor.type === "mock") return definition;
      const processor = completeTemplates(definition.processor, columns, (name) => unknown.push(name));
      return { ...definition, processor: processor as Definition["processor"] }; // of the same shape
    }
    if (kind === "http") return { processor: httpProcessor(options, columns, complete) };
    if (llm === undefined) throw new Error("a prompt needs a connection");
    return {
      processor: llmProcessor(options, outputSchema, columns, llm, complete, (name) => unknown.push(name)),
      ...(options.cache ? { cache: { mode: "read_write" } } : {}),
    };
  })();
  refuseUnknown(unknown, columns);
  return {
    ...made,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function llmProcessor(
  options: MapOptions,
  outputSchema: JsonSchema | undefined,
  columns: readonly string[],
  { connectionId, model }: { connectionId: string; model: string },
  complete: (template: string) => string,
  onUnknown: (unknown: UnknownColumn) => void,
): Definition["processor"] {
  const prompt = complete(options.prompt ?? "");
  const { image, system, temperature, maxOutputTokens } = options;
  if (image !== undefined && !columns.includes(image)) onUnknown({ name: image, nearest: nearestTo(image, columns) });
  const content =
    image === undefined
      ? prompt
      : [
          { type: "text" as const, text: prompt },
          { type: "image" as const, url: `{{row${memberOf(image)}}}` },
        ];
  const parameters = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  return {
    type: "llm",
    connection: connectionId,
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: "system" as const, content: complete(system) }]),
      { role: "user" as const, content },
    ],
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function httpProcessor(
  options: MapOptions,
  columns: readonly string[],
  complete: (template: string) => string,
): Definition["processor"] {
  const { connection } = options;
  const { method, url } = requestOf(options.http ?? "", connection);
  const headers = Object.fromEntries(
    (options.header ?? []).map((line) => {
      const [name, value] = headerOf(line, connection !== undefined);
      return [name, complete(value)];
    }),
  );
  const hasBody = method !== "GET" && method !== "DELETE";
  const body = options.body === undefined ? (hasBody ? wholeRow(columns) : undefined) : bodyOf(options.body, complete);
  return {
    type: "http",
    method,
    url: complete(url),
    ...(connection === undefined ? {} : { connection }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  };
}

function headerOf(line: string, hasConnection: boolean): [name: string, value: string] {
  const match = /^([^:\s]+)\s*:\s*(.*)$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined)
    throw usageProblem(`"${line}" is not a header.`, "Write --header 'Name: value'.");
  const [, name, value] = match;
  const isSecret = /^(authorization|proxy-authorization|x-api-key|cookie)$/i.test(name);
  const [ofConnection] = OF_CONNECTION.exec(value) ?? [];
  if (ofConnection !== undefined && !CONNECTION_SECRET.test(value))
    throw usageProblem(`A connection has no such value: ${ofConnection}.`, "Its key is {{connection.secret}}.");
  // The service puts the connection's secret there: the argument has none.
  if (isSecret && !(hasConnection && CONNECTION_SECRET.test(value)))
    throw usageProblem(
      `A secret such as ${name} must not be an argument: other users of this machine can read it.`,
      `\`rowmill connect http --name NAME --base-url URL\` keeps it in a connection: use --connection NAME with --header '${name}: {{connection.secret}}'.`,
    );
  return [name, value];
}

/** With a connection, the URL is a path below its address. */
export function requestOf(text: string, connection?: string): { method: (typeof METHODS)[number]; url: string } {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  const method = METHODS.find((name) => name === first.toUpperCase());
  const url = method === undefined ? text.trim() : rest.join(" ");
  if (connection !== undefined && !url.startsWith("/"))
    throw usageProblem(
      `"${text}" does not name a path below the address of the connection "${connection}".`,
      "Write --http 'POST /path', or leave out --connection.",
    );
  if (connection === undefined && !/^https?:\/\//i.test(url))
    throw usageProblem(
      `"${text}" is not a request.`,
      "Write --http 'POST https://example.com/path', or 'POST /path' with --connection NAME.",
    );
  return { method: method ?? "GET", url };
}

/** A JSON value whose strings are templates, or a text with templates. */
function bodyOf(text: string, complete: (template: string) => string): unknown {
  if (!/^\s*[[{]/.test(text) || /^\s*\{\{/.test(text)) return complete(text);
  let body: ReadNumbers;
  try {
    body = parseBody(text);
  } catch (error) {
    throw usageProblem(
      `--body is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      "Correct it, or write a text that does not begin with { or [.",
    );
  }
  refuseRounded(body.rounded, "--body");
  return mapStrings(body.value, complete);
}

const mapStrings = (value: unknown, complete: (template: string) => string): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) => (typeof member === "string" ? complete(member) : member));

const wholeRow = (columns: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.map((column) => [column, `{{row${memberOf(column)}}}`]));

function specOf(text: string): Definition {
  let read: ReadNumbers;
  try {
    read = parseBody(text);
  } catch (error) {
    throw usageProblem(
      `The file of --spec is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      'It is the body of a job spec: {"processor": {…}, "outputSchema": {…}}.',
    );
  }
  const { value, rounded } = read;
  refuseRounded(rounded, "The file of --spec");
  if (!isObject(value) || !isObject(value["processor"]))
    throw usageProblem("The file of --spec has no processor.", 'It is the body of a job spec: {"processor": {…}}.');
  const { name: _, description: __, metadata: ___, ...definition } = value as unknown as Body<"createJobSpec">; // the service validates it
  return definition;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Fields of a service's response that nobody names stay in the output: it cannot be asked to leave them out. */
function readOut(out: string, kind: Kind): JsonSchema {
  try {
    if (out.trim().startsWith("{")) return parseSchema(out);
    if (/\.json$/i.test(out.trim())) return parseSchema(readNamedFile(out));
    const { additionalProperties, ...open } = parseShorthand(out);
    return kind === "http" ? open : { ...open, additionalProperties };
  } catch (error) {
    if (!(error instanceof OutError)) throw error;
    throw usageProblem(
      `--out cannot be read: ${error.message}`,
      "Write fields such as 'industry, confidence number', or name a file with a JSON Schema.",
    );
  }
}

/** More names are no help. */
const MAX_NAMED_COLUMNS = 30;

function describeColumns(columns: readonly string[]): string {
  const named = columns.slice(0, MAX_NAMED_COLUMNS).join(", ");
  if (columns.length <= MAX_NAMED_COLUMNS) return `The columns are ${named}.`;
  return `The first ${MAX_NAMED_COLUMNS} of ${columns.length} columns are ${named}.`;
}

function refuseUnknown(unknown: readonly UnknownColumn[], columns: readonly string[]): void {
  const [first] = unknown;
  if (first === undefined) return;
  const names = [...new Set(unknown.map(({ name }) => `"${name}"`))];
  const what = names.length === 1 ? `There is no column ${names[0]}.` : `There are no columns ${names.join(", ")}.`;
  const near = first.nearest === undefined ? "" : `Did you mean "${first.nearest}"? `;
  throw new Problem(what, `${near}${describeColumns(columns)}`, { exit: "usage", code: "unknown_column" });
}
