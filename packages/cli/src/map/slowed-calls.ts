/** Whether a provider that refuses calls holds a run back: what the limits of its connections report, read while it goes on. */
import { RowmillApiError } from "@rowmill/client";
import type { ConnectionLimits, RequestOptions, Rowmill, Run } from "@rowmill/client";
import { count, duration, plural } from "../frame/numbers.ts";

/** Fast enough for a person, and a small part of what following a run takes anyway. */
const LOOK_INTERVAL_MS = 3_000;
/** Every refusal pauses calls for a moment; the rate says more than a pause that is over when it is read. */
const LONG_PAUSE_SECONDS = 3;

type Client = Pick<Rowmill, "jobSpecs" | "connections">;
type ModelLimits = Pick<
  ConnectionLimits["models"][number],
  "model" | "requestsPerMinute" | "pausedSeconds" | "slowedAt"
>;

export interface SlowedCalls extends ModelLimits {
  connectionId: string;
  /** Of the connection. */
  name: string;
}

/** A connection, and what is called there. */
interface Called {
  connectionId: string;
  name: string;
  models: string[];
}

export interface SlowedCallsWatch {
  /** Reads the limits where it is time to; never rejects. */
  look: (run: Run, request: RequestOptions) => Promise<void>;
  /** As it was read last, with what is left of a pause; undefined where nothing holds calls back. */
  current: () => SlowedCalls | undefined;
}

export function watchSlowedCalls(rowmill: Client, now: () => number = Date.now): SlowedCallsWatch {
  let called: readonly Called[] | undefined;
  let last: SlowedCalls | undefined;
  let readAt = 0;
  let nextAt = 0;
  async function read(run: Run, request: RequestOptions): Promise<SlowedCalls | undefined> {
    called ??= await findCalled(rowmill, run, request);
    const all = await Promise.all(called.map((each) => readSlowed(rowmill, each, request)));
    // A run of several models waits for the one that is paused longest.
    return all.flat().toSorted((one, other) => other.pausedSeconds - one.pausedSeconds)[0];
  }
  return {
    current() {
      if (last === undefined) return undefined;
      const pausedSeconds = Math.max(0, last.pausedSeconds - (now() - readAt) / 1000);
      return last.slowedAt === null && !isLongPause({ pausedSeconds }) ? undefined : { ...last, pausedSeconds };
    },
    async look(run, request) {
      if (run.state !== "running") last = undefined;
      else if (now() >= nextAt) {
        nextAt = Infinity;
        try {
          last = await read(run, { ...request, maxRetries: 0 });
          readAt = now();
          nextAt = now() + LOOK_INTERVAL_MS;
        } catch (error) {
          last = undefined;
          // A key without the scope stays without it. A service that is away is reported by the reads of the run.
          if (!(error instanceof RowmillApiError && error.status === 403)) nextAt = now() + LOOK_INTERVAL_MS;
        }
      }
    },
  };
}

/** What is read here of a processor, which the types of responses leave open. */
interface Calling {
  type: string;
  connection?: string;
  model?: string;
  fallbacks?: readonly { connection?: string; model: string }[];
}

async function findCalled(rowmill: Client, run: Run, request: RequestOptions): Promise<Called[]> {
  const version = await rowmill.jobSpecs.versions.get(run.jobSpecId, run.jobSpecVersion, request);
  // Limits of an `http` connection are those of all its calls, and have no model.
  const { connection, model = "", fallbacks = [] } = version.processor as unknown as Calling; // as the contract has it
  if (connection === undefined) return [];
  const models = new Map([[connection, [model]]]);
  for (const { connection: other = connection, model } of fallbacks)
    models.set(other, [...(models.get(other) ?? []), model]);
  return Promise.all(
    [...models].map(async ([connectionId, models]) => {
      const { name } = await rowmill.connections.get(connectionId, request);
      return { connectionId, name, models };
    }),
  );
}

async function readSlowed(
  rowmill: Client,
  { connectionId, name, models }: Called,
  request: RequestOptions,
): Promise<SlowedCalls[]> {
  const limits = await rowmill.connections.limits(connectionId, request);
  return limits.models
    .filter((state) => models.includes(state.model) && (state.slowedAt !== null || isLongPause(state)))
    .map(({ model, requestsPerMinute, pausedSeconds, slowedAt }) => ({
      connectionId,
      name,
      model,
      requestsPerMinute,
      pausedSeconds,
      slowedAt,
    }));
}

export const isLongPause = ({ pausedSeconds }: Pick<ModelLimits, "pausedSeconds">): boolean =>
  pausedSeconds >= LONG_PAUSE_SECONDS;

/** For the line of the progress. */
export function slowedPart(slowed: SlowedCalls): string {
  if (isLongPause(slowed)) return `no call for ${duration(slowed.pausedSeconds)} after refusals`;
  const rate = slowed.requestsPerMinute === null ? "fewer" : `at most ${count(slowed.requestsPerMinute)}`;
  return `${rate} calls/min after refusals`;
}

/** For a line of its own. */
export function slowedSentence(slowed: SlowedCalls, now: number = Date.now()): string {
  const { name, model, requestsPerMinute, pausedSeconds, slowedAt } = slowed;
  const refuses = `"${name}" refuses calls${model === "" ? "" : ` of ${model}`}, or is overloaded`;
  if (isLongPause(slowed)) return `${refuses}: no call begins for ${duration(pausedSeconds)}.`;
  const rate = requestsPerMinute === null ? "fewer calls" : `at most ${plural(requestsPerMinute, "call")} a minute`;
  const last = slowedAt === null ? "" : ` (the last time ${duration((now - Date.parse(slowedAt)) / 1000)} ago)`;
  return `${refuses}${last}: ${rate} begin.`;
}
