/** Requests as a program makes them: what is on the screen, as `curl` and as TypeScript. */
import { baseUrl } from "./client.ts";

/** A request of the API. */
export interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the base URL: `v1/runs`. */
  path: string;
  body?: unknown;
  /** The same with the client, as statements: `console.log(await rowmill.runs.get("…"));`. */
  typescript: string;
}

/** 32 random digits, by commands that POSIX has: not every machine has `uuidgen`. */
const NEW_KEY = String.raw`$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')`;

/** A single quote ends the text of a shell; it is written between two texts. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf({ method, path, body }: Request): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}-H "Authorization: Bearer $ROWMILL_API_KEY"`,
    ...(method === "POST" ? [`-H "Idempotency-Key: ${NEW_KEY}"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    quoted(baseUrl + path),
  ].join(" \\\n  ");
}

/** A program that runs as it is: where the service is reached is a part of it, and the key, as of the command, is not. */
export const typescriptOf = ({ typescript }: Request): string =>
  `import { Rowmill } from "@rowmill/client";

// The key comes from ROWMILL_API_KEY.
const rowmill = new Rowmill({ baseUrl: ${JSON.stringify(baseUrl.replace(/\/$/, ""))} });
${typescript}
`;

/** Reads one thing, or a list with the filter that is in sight; members of the query without a value are left out. */
export function readRequest(
  path: string,
  method: string,
  {
    ids = [],
    query = {},
    isOne = false,
  }: { ids?: readonly string[]; query?: Record<string, unknown>; isOne?: boolean } = {},
): Request {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const parameters = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  const members = [...ids, ...(asked.length === 0 ? [] : [Object.fromEntries(asked)])];
  const call = `rowmill.${method}(${members.map((member) => JSON.stringify(member)).join(", ")})`;
  return {
    method: "GET",
    path: parameters === "" ? path : `${path}?${parameters}`,
    typescript: isOne ? `console.log(await ${call});` : `for await (const item of ${call}) console.log(item);`,
  };
}
