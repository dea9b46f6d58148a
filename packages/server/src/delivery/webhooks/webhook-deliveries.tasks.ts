/** What a worker does for webhooks: fans events out, sends what is due, watches over the health of endpoints, tidies up. */
import { listen, warnOfLoss } from "../../platform/database/notifications.ts";
import { startWakefulLoop } from "../../platform/wakeful-loop.ts";
import type { Services } from "../../services.ts";
import { EVENTS_CHANNEL } from "../../resources/events/events.ts";
import { createFanOut } from "../fan-out/fan-out.ts";
import type { FanOutTarget } from "../fan-out/fan-out.ts";
import { reviewFailingEndpoints } from "./health.ts";
import { startDispatcher } from "./webhook-dispatcher.ts";
import { DELIVERIES_CHANNEL, fanOutToEndpoints } from "./fan-out-to-endpoints.ts";
import { parseRetrySchedule } from "../../platform/parse-retry-schedule.ts";
import { DEFAULT_RETRY_SCHEDULE } from "./retry-schedule.ts";

/** A lost notification, and events of a transaction that committed late, wait no longer than this. */
const FAN_OUT_EVERY_MS = 1_000;

/** Thresholds are days apart. After failures it is looked at sooner, but not more than once a second. */
const REVIEW_EVERY_MS = 60_000;
const REVIEW_PAUSE_MS = 1_000;

/** What events go to beside webhook endpoints, such as alert rules. */
export interface EventConsumer {
  target: FanOutTarget;
  /** Notifications that wake what the target makes work for. */
  channels: Readonly<Record<string, () => void>>;
}

export interface EventDelivery {
  stop(): Promise<void>;
}

export function startEventDelivery(services: Services, others: readonly EventConsumer[]): EventDelivery {
  const { database, log, config } = services;
  const setting = config.ROWMILL_WEBHOOK_RETRY_SCHEDULE;
  const schedule = setting === undefined ? DEFAULT_RETRY_SCHEDULE : parseRetrySchedule(setting);
  const targets = [fanOutToEndpoints(schedule[0] ?? 0), ...others.map((other) => other.target)];

  const review = startWakefulLoop(log, {
    name: "review failing webhook endpoints",
    leastPauseMs: REVIEW_PAUSE_MS,
    pass: async () => {
      await reviewFailingEndpoints(services);
      return REVIEW_EVERY_MS;
    },
  });
  const dispatcher = startDispatcher(services, schedule, () => review.wake());
  const fanOutEvents = createFanOut(database, targets);
  const fanOut = startWakefulLoop(log, {
    name: "fan out events",
    leastPauseMs: 0,
    pass: async () => ((await fanOutEvents()) ? 0 : FAN_OUT_EVERY_MS),
  });
  const channels: Record<string, () => void> = {
    [EVENTS_CHANNEL]: () => fanOut.wake(),
    [DELIVERIES_CHANNEL]: () => dispatcher.wake(),
  };
  for (const other of others) Object.assign(channels, other.channels);
  const listener = listen(database, channels, warnOfLoss(log));
  return {
    async stop() {
      listener.stop();
      await Promise.all([fanOut.stop(), review.stop(), dispatcher.stop()]);
    },
  };
}
