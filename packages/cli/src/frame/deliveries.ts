/** How deliveries of webhooks and alerts look in tables. */
import type { Cli } from "./command.ts";
import { ago } from "./lists.ts";
import type { Column } from "./lists.ts";

/** Of a response: an error and its reason, and not the rest of a page. */
const MAX_SHOWN = 300;

interface Delivery {
  id: string;
  eventType: string;
  status: string;
  attempts: readonly { responseStatus: number | null; message: string }[];
  createdAt: string;
}

export const deliveryColumns: readonly Column<Delivery>[] = [
  ["delivery", ({ id }) => id],
  ["status", ({ status }) => status],
  ["attempts", ({ attempts }) => attempts.length],
  ["response", ({ attempts }) => attempts.at(-1)?.responseStatus ?? attempts.at(-1)?.message],
  ["made", ({ createdAt }) => ago(createdAt)],
  ["event", ({ eventType }) => eventType],
];

/** `whd_… succeeded: 204`, or why it failed and the beginning of what the receiver responded; and the exit code. */
export function printDelivery(
  cli: Cli,
  delivery: Delivery & { response?: { body: string; isCut: boolean } | null },
): void {
  const { id, status, attempts, response } = delivery;
  const last = attempts.at(-1);
  const failed = status === "failed";
  const what = last === undefined ? "" : `: ${failed ? last.message : (last.responseStatus ?? last.message)}`;
  const received = failed && response?.body ? `\n  Its response: ${beginningOf(response)}` : "";
  cli.output.result(delivery, () => `${id} ${status}${what}${received}`);
  if (failed) cli.exitWith("error");
}

/** On one line: a page of HTML has many. */
export function beginningOf({ body, isCut }: { body: string; isCut: boolean }): string {
  const line = body.trim().replaceAll(/\s+/g, " ");
  return line.length > MAX_SHOWN || isCut ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
