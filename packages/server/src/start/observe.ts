/** What operators see of a process: metrics, traces, and a log line when the event loop stands still. */
import type { Config } from "../config.ts";
import { createMetrics } from "../metrics.ts";
import type { Work } from "../platform/current-work.ts";
import type { Log } from "../platform/log.ts";
import type { Tracing } from "../platform/tracing.ts";
import { startWatchdog } from "../platform/watchdog/watchdog.ts";
import { version } from "../service-state.ts";
import type { Services } from "../services.ts";
import type { Stops } from "./stops.ts";

type Observers = Pick<Services, "metrics" | "meter" | "tracing">;

export async function observe(
  config: Config,
  log: Log,
  { database, clock }: Pick<Services, "database" | "clock">,
  stops: Stops,
): Promise<Observers> {
  const metrics = createMetrics(database, { clock });
  const tracing = await openTracingOf(config, log);
  stops.add(async () => tracing?.stop());
  const watchdog = startWatchdog((stall) => {
    const { ms, work, stack } = stall;
    log.warn({ stalledMs: ms, ...describeWork(work), stack }, "the event loop stood still");
    metrics.observeStall(stall);
  });
  stops.add(() => watchdog.stop());
  return { metrics, tracing, meter: tracing === undefined ? metrics.meter : tracing.follow(metrics.meter) };
}

/** The SDK takes 60 ms and 15 MB: only where it is of use. */
async function openTracingOf(config: Config, log: Log): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openTracing } = await import("../platform/open-tracing.ts");
  const settings = {
    endpoint,
    requests: config.ROWMILL_TRACE_REQUESTS,
    rows: config.ROWMILL_TRACE_ROWS,
    hasGenAi: config.ROWMILL_TRACE_GEN_AI === "on",
    version,
    role: config.ROWMILL_ROLE,
  };
  return openTracing(settings, log);
}

/** The log has a `name` of its own. */
const describeWork = (work: Work | undefined) => {
  const { name = "unknown", ...owner } = work ?? {};
  return { work: name, ...owner };
};
