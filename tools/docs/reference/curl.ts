/** The example of an operation as a command line. */
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import { examples } from "@rowmill/contract/examples/examples";
import type { Operation } from "@rowmill/contract/operation";
import { compactJson } from "./markdown-text.ts";

/** 32 random digits, by commands that POSIX has: not every machine has `uuidgen`. */
const NEW_KEY = String.raw`$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')`;
const VARIABLES = { admin: "ROWMILL_ADMIN_KEY", key: "ROWMILL_API_KEY" };

export function curlOf(id: OperationId): string {
  const o: Operation = operations[id];
  const { by, params = {}, query = {}, headers = {}, body, content, text } = examples[id];
  const path = o.path.replace(/\{(\w+)\}/g, (_whole, name: string) => params[name] ?? "");
  const search = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  // Brackets mean ranges to curl.
  const options = [
    "curl -sS",
    ...(search.includes("[") ? ["-g"] : []),
    ...(text !== undefined && text.startsWith("id:") ? ["-N"] : []),
  ];
  const expected = body === undefined && content === undefined ? "GET" : "POST";
  if (o.method !== expected) options.push(`-X ${o.method}`);
  const lines = [`${options.join(" ")} "$ROWMILL_URL${path}${search === "" ? "" : `?${search}`}"`];
  if (by !== "nobody") lines.push(`-H "Authorization: Bearer $${by === "admin" ? VARIABLES.admin : VARIABLES.key}"`);
  if (o.idempotency === "required") lines.push(`-H "Idempotency-Key: ${NEW_KEY}"`);
  if (body !== undefined) lines.push('-H "Content-Type: application/json"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H "${name}: ${value}"`);
  if (body !== undefined) lines.push(`-d '${quoted(compactJson(body, " ").trim())}'`);
  if (content !== undefined)
    lines.push(content.includes("id,text") ? "--data-binary @reviews.csv" : `--data-binary '${quoted(content)}'`);
  if (id === "downloadExport") lines.push("-o reviews.csv");
  return lines.join(" \\\n  ");
}

/** A quote within single quotes of a shell. */
const quoted = (text: string): string => text.replaceAll("'", String.raw`'\''`);
