/** `rowmill listen`: events of the organization, forwarded to a receiver on this machine as they happen. */
import type { ServerSentEvent } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { forward, isDelivered } from "./forward.ts";
import type { Forwarded, Receiver } from "./forward.ts";
import { openKeys } from "./key-presses.ts";
import { plural } from "../frame/numbers.ts";

/** Of those that can be sent again by a key. */
const MAX_KEPT = 100;

interface Envelope {
  id: string;
  type: string;
}
interface Sent {
  event: Envelope;
  result: Forwarded;
}

export async function listen(cli: Cli, receiver: Receiver, types: readonly string[] | undefined): Promise<void> {
  const { rowmill, url, gone } = await cli.service();
  const sent: Sent[] = [];
  const ending = new AbortController();
  let lost: Error | undefined;
  // The command's own service does not come back by itself, as one that others run may.
  gone.catch((error: unknown) => {
    lost = error instanceof Error ? error : new Error(String(error));
    ending.abort();
  });
  const releaseInterrupt = cli.onInterrupt(() => ending.abort());
  const send = async (event: Envelope, again: boolean): Promise<void> => {
    const result = await forward(receiver, event, ending.signal);
    sent.push({ event, result });
    if (sent.length > MAX_KEPT) sent.shift();
    report(cli, event, result, again);
  };
  const closeKeys = openKeys(cli, {
    r: () => sendAgain(sent.at(-1)),
    f: () => sendAgain(sent.findLast(({ result }) => !isDelivered(result))),
    q: () => ending.abort(),
  });
  function sendAgain(last: Sent | undefined): void {
    if (last === undefined) return cli.output.note("There is nothing to send again.");
    send(last.event, true).catch((error: unknown) => {
      if (!ending.signal.aborted) cli.output.note(`Not sent: ${String(error)}`);
    });
  }
  try {
    const events = rowmill.events.follow({
      types,
      signal: ending.signal,
      onConnected: () =>
        cli.output.note(`Listening to ${url}. Events go to ${receiver.url}.${closeKeys === undefined ? "" : KEYS}`),
      onDisconnected: (error) =>
        cli.output.note(`The connection to the service is lost (${messageOf(error)}); trying again.`),
    });
    for await (const message of events) {
      if (message.event === "stream.gap") reportGap(cli, message);
      else if (isEnvelope(message.data)) await send(message.data, false);
      else cli.output.note(`A message of the stream is not an event, and was not forwarded (${message.event}).`);
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error;
  } finally {
    closeKeys?.();
    releaseInterrupt();
  }
  if (lost !== undefined) throw lost;
  const failed = sent.filter(({ result }) => !isDelivered(result)).length;
  cli.output.result({ forwarded: sent.length, failed }, () => `${sent.length} forwarded, ${failed} not accepted.`);
}

const KEYS = "\nKeys: r sends the last event again, f the last one that failed, q ends.";

function report(cli: Cli, event: Envelope, result: Forwarded, again: boolean): void {
  const { status, durationMs, reason } = result;
  cli.output.event("delivery", { eventId: event.id, eventType: event.type, status, durationMs, reason, again });
  if (cli.output.mode !== "text") return;
  const { terminal } = cli;
  const said = terminal.style(
    "stdout",
    isDelivered(result) ? "green" : "red",
    status === null ? (reason ?? "failed") : String(status),
  );
  const time = new Date().toTimeString().slice(0, 8);
  cli.output.write(`${time}  ${again ? "again " : ""}${event.type}  ${event.id}  → ${said}  ${durationMs} ms\n`);
}

function reportGap(cli: Cli, { data }: ServerSentEvent): void {
  const missed = isObject(data) && typeof data["missed"] === "number" ? data["missed"] : null;
  cli.output.event("gap", { missed });
  cli.output.note(
    `${missed === null ? "Some events are" : plural(missed, "event is", "events are")} no longer stored, and ${missed === 1 ? "was" : "were"} not forwarded.`,
  );
}

/** A service of another version, or a proxy, may send anything. */
const isEnvelope = (data: unknown): data is Envelope =>
  isObject(data) && typeof data["id"] === "string" && typeof data["type"] === "string";
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
