/**
 * The event stream of the organization, for screens that show its things: what has come, in groups, and whether the stream stands. A
 * stream that breaks off is opened again after the last event, with a delay that grows; one that a proxy swallows never stands, and
 * listeners go on by polling.
 */
import { RowmillApiError } from "@rowmill/client";
import type { Rowmill, ServerSentEvent } from "@rowmill/client";

/** - `refused`: the session may not follow events, or is over. It is not tried again. */
export type StreamState = "connecting" | "connected" | "refused";
export type LiveMessage =
  | { type: "state"; state: StreamState; isSignedOut: boolean }
  | { type: "events"; events: readonly Pick<ServerSentEvent, "event" | "data">[] };

/** A burst of events is one message to each tab. */
const GROUP_MS = 200;
/** More than these at once say only that much has changed. */
const MAX_GROUP = 2_000;

/** Events that a session with these scopes may follow; none without one of them. */
export function eventTypesFor(scopes: readonly string[]): string[] {
  const may = (scope: string): boolean => scopes.includes(scope);
  return [
    ...(may("runs:read") ? ["run.*", "run.progress", "bulk_action.*"] : []),
    ...(may("exports:read") ? ["export.*"] : []),
    ...(may("datasets:read") ? ["dataset.*"] : []),
    ...(may("webhooks:read") ? ["webhook_endpoint.*"] : []),
  ];
}

export async function followEvents(
  events: Pick<Rowmill["events"], "follow">,
  types: readonly string[],
  send: (message: LiveMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  let group: ServerSentEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const ready = group;
    group = [];
    if (ready.length > 0) send({ type: "events", events: ready.map(({ event, data }) => ({ event, data })) });
  };
  const report = (state: StreamState, isSignedOut = false): void => send({ type: "state", state, isSignedOut });
  report("connecting");
  try {
    const stream = events.follow({
      types,
      signal,
      // The loop of `follow` is the one that tries again.
      maxRetries: 0,
      onConnected: () => report("connected"),
      onDisconnected: () => report("connecting"),
    });
    for await (const event of stream) {
      if (group.length < MAX_GROUP) group.push(event);
      timer ??= setTimeout(flush, GROUP_MS);
    }
  } catch (error) {
    if (!signal.aborted) report("refused", error instanceof RowmillApiError && error.status === 401);
  } finally {
    clearTimeout(timer);
  }
}
