import { Code, Terminal } from "lucide-react";
import { baseUrl } from "../lib/client.ts";
import { copyText } from "../lib/copy.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { Menu } from "./menu.tsx";
import type { MenuItem } from "./menu.tsx";
import { toast } from "./toast.tsx";

/** A request of the API. */
export interface Request {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the base URL: `v1/runs`. */
  path: string;
  body?: unknown;
  /** The same with the client: `rowmill.runs.get("…")`. */
  typescript: string;
}

/** A single quote ends the text of a shell; it is written between two texts. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf({ method, path, body }: Request): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}-H "Authorization: Bearer $ROWMILL_API_KEY"`,
    ...(method === "POST" ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    quoted(baseUrl + path),
  ].join(" \\\n  ");
}

export async function copyAndSay(text: string): Promise<void> {
  try {
    await copyText(text);
    toast("Copied.");
  } catch (error) {
    toast(error instanceof Error ? error.message : "It could not be copied.", "bad");
  }
}

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
    typescript: isOne ? `const found = await ${call};` : `for await (const item of ${call}) console.log(item);`,
  };
}

/** What is on the screen, as a program does it. */
export const copyItems = (request: Request): MenuItem[] => [
  { label: "Copy as curl", icon: Terminal, run: () => void copyAndSay(curlOf(request)) },
  { label: "Copy as TypeScript", icon: Code, run: () => void copyAndSay(request.typescript) },
];

/** Beside a button, or at the end of a screen's head; there Cmd+K has it, too. */
export function CodeMenu({ request, isInPalette = false }: { request: Request; isInPalette?: boolean }) {
  const items = copyItems(request);
  useShortcuts(isInPalette ? items.map(({ label, run }) => ({ keys: "", label, run })) : []);
  return (
    <Menu
      className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Code aria-hidden size={15} />
          <span className="sr-only">Copy as code</span>
        </>
      }
      items={items}
    />
  );
}
