import { Code, Terminal } from "lucide-react";
import { baseUrl } from "../lib/client.ts";
import { copyText } from "../lib/copy.ts";
import { Menu } from "./menu.tsx";
import type { MenuItem } from "./menu.tsx";
import { toast } from "./toast.tsx";

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

async function copy(text: string): Promise<void> {
  try {
    await copyText(text);
    toast("Copied.");
  } catch (error) {
    toast(error instanceof Error ? error.message : "It could not be copied.", "bad");
  }
}

/** What is on the screen, as a program does it. */
export const copyItems = (request: Request): MenuItem[] => [
  { label: "Copy as curl", icon: Terminal, run: () => void copy(curlOf(request)) },
  { label: "Copy as TypeScript", icon: Code, run: () => void copy(request.typescript) },
];

export function CodeMenu({ request }: { request: Request }) {
  return (
    <Menu
      className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Code aria-hidden size={15} />
          <span className="sr-only">Copy as code</span>
        </>
      }
      items={copyItems(request)}
    />
  );
}
