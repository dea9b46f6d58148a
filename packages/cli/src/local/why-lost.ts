/**
 * A request to the command's own service failed without a response: the service may have ended, and that says more than a refused
 * connection.
 */
import { RowmillConnectionError, RowmillTimeoutError } from "@rowmill/client";
import { setTimeout as pause } from "node:timers/promises";

/** The supervisor reports the end of the service at once. */
const REPORT_MS = 2_000;

/** `gone` rejects when the service ends. */
export async function whyLost(failure: unknown, gone: Promise<never>): Promise<unknown> {
  if (!(failure instanceof RowmillConnectionError) && !(failure instanceof RowmillTimeoutError)) return failure;
  return Promise.race([gone.catch((reason: unknown) => reason), pause(REPORT_MS, failure, { ref: false })]);
}
