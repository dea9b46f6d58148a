/** How deliveries of webhooks and alerts look in tables. */
import type { Cli } from "./command.ts";
import { ago } from "./lists.ts";
import type { Column } from "./lists.ts";

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

/** `whd_… succeeded: 204`, and the exit code. */
export function printDelivery(cli: Cli, delivery: Delivery): void {
  const { id, status, attempts } = delivery;
  const last = attempts.at(-1);
  const what = last === undefined ? "" : `: ${last.responseStatus ?? last.message}`;
  cli.output.result(delivery, () => `${id} ${status}${what}`);
  if (status === "failed") cli.exitWith("error");
}
