import { Argument, Command, Option } from "@commander-js/extra-typings";
import { RowmillApiError, RowmillConnectionError } from "@rowmill/client";
import { randomUUID } from "node:crypto";
import { collected, parseJson, readText } from "../frame/arguments.ts";
import { parseExactly } from "../frame/exact-json.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { harmlessJson } from "../frame/harmless-text.ts";
import { usageProblem } from "../frame/problem.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;

const methodArgument = new Argument("<method>", METHODS.join(", "));
// For completion in shells. Not `choices`: small letters are understood, too.
methodArgument.argChoices = [...METHODS];

export const api: CommandFile = {
  examples: [
    ["rowmill api GET /v1/me", "a request with your key; the response is printed as it is"],
    ["rowmill api POST /v1/runs --data @run.json", "with a body of a file"],
    ["rowmill api GET /v1/runs --query state=failed --paginate | jq -r .id", "every item of every page, one a line"],
    ["rowmill api PATCH /v1/runs/run_01jd3v --data '{\"priority\": 5}' --header 'If-Match: \"3\"'", "with a header"],
  ],
  create: (cli) =>
    new Command("api")
      .description("Send a request to the API.")
      .addArgument(methodArgument)
      .argument("<path>", "such as /v1/runs")
      .addOption(new Option("--data <json>", "body: JSON, @file, or - for stdin"))
      .addOption(new Option("--query <name=value>", "parameter, repeatable").argParser(collected))
      .addOption(new Option("--header <line>", "header, repeatable").argParser(collected))
      .addOption(new Option("--idempotency-key <key>", "of a POST; a new one, if absent"))
      .option("--paginate", "follow nextCursor, and print the items as JSON lines")
      .option("--include", "print status and headers on stderr")
      .action((method, path, options) => sendRequest(cli, method, path, options)),
};

interface ApiOptions {
  data?: string;
  query?: string[];
  header?: string[];
  idempotencyKey?: string;
  paginate?: true;
  include?: true;
}

async function sendRequest(cli: Cli, given: string, path: string, options: ApiOptions): Promise<void> {
  const method = METHODS.find((known) => known === given.toUpperCase());
  if (method === undefined) throw usageProblem(`There is no method ${given}.`, `Use ${METHODS.join(", ")}.`);
  if (!/^\/[^/]/.test(path)) throw usageProblem(`"${path}" is not a path.`, "Write it as /v1/runs.");
  if (options.paginate === true && method !== "GET") throw usageProblem("--paginate is for GET.", "Leave it out.");
  const body = await bodyOf(cli, options.data);
  const { url, apiKey } = await cli.service();
  const target = new URL(`${url.replace(/\/+$/, "")}${path}`);
  for (const pair of options.query ?? []) target.searchParams.append(...splitAt(pair, "=", "--query name=value"));
  const headers = headersOf(options, apiKey, method, body !== undefined);
  for (;;) {
    const response = await send(cli, target, { method, headers, ...(body === undefined ? {} : { body }) });
    if (options.include === true) noteHead(cli, response);
    if (!response.ok) throw await errorOf(cli, response);
    if (options.paginate !== true) return print(cli, response);
    const next = await printItems(cli, response);
    if (next === undefined) return;
    target.searchParams.set("cursor", next);
  }
}

async function bodyOf(cli: Cli, data: string | undefined): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const isFile = data === "-" || data.startsWith("@");
  const text = isFile ? await readText(cli.terminal, data === "-" ? "-" : data.slice(1)) : data;
  parseJson(text, "The body");
  return text;
}

function headersOf({ header = [], idempotencyKey }: ApiOptions, apiKey: string, method: string, hasBody: boolean) {
  const headers = new Headers({ authorization: `Bearer ${apiKey}`, accept: "application/json" });
  if (hasBody) headers.set("content-type", "application/json");
  if (method === "POST") headers.set("idempotency-key", idempotencyKey ?? randomUUID());
  for (const line of header) {
    const [name, value] = splitAt(line, ":", "--header 'Name: value'");
    if (/^authorization$/i.test(name))
      throw usageProblem(
        "A key must not be an argument: other users of this machine can read it.",
        "Set ROWMILL_API_KEY.",
      );
    headers.set(name, value);
  }
  return headers;
}

function splitAt(text: string, separator: string, form: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 1) throw usageProblem(`"${text}" cannot be read.`, `Write ${form}.`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

async function send(cli: Cli, url: URL, init: RequestInit): Promise<Response> {
  try {
    // A redirect could lead the key to another address.
    return await fetch(url, { ...init, signal: cli.signal, redirect: "manual" });
  } catch (error) {
    if (cli.signal.aborted) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowmillConnectionError(`no response from ${url.origin}: ${reason}`, { cause: error });
  }
}

function noteHead(cli: Cli, response: Response): void {
  cli.output.note(`${response.status} ${response.statusText}`);
  for (const [name, value] of response.headers) cli.output.note(`${name}: ${value}`);
}

/** The body is what was asked for, also when it is an error's. */
async function errorOf(cli: Cli, response: Response): Promise<RowmillApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { code: string; message: string } };
    if (error !== undefined) return new RowmillApiError(response.status, response.headers, error as object);
  } catch {
    cli.output.note(text);
  }
  return new RowmillApiError(response.status, response.headers, {}, `the status is ${response.status}`);
}

async function print(cli: Cli, response: Response): Promise<void> {
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  if (isJson && cli.terminal.stdout.isTTY) {
    const text = await response.text();
    return cli.output.write(text === "" ? "" : `${harmlessJson(parseExactly(text), 2)}\n`);
  }
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let last = "";
  for await (const chunk of response.body) {
    last = decoder.decode(chunk as Uint8Array, { stream: true });
    cli.output.write(last);
  }
  if (isJson && !last.endsWith("\n")) cli.output.write("\n");
}

async function printItems(cli: Cli, response: Response): Promise<string | undefined> {
  const page = parseExactly(await response.text()) as { data?: unknown; nextCursor?: string | null }; // the envelope of lists
  if (!Array.isArray(page.data)) throw usageProblem("The response is not a list.", "Leave out --paginate.");
  for (const item of page.data) cli.output.write(`${harmlessJson(item)}\n`);
  return page.nextCursor ?? undefined;
}
