/** What a worker does for alerts: evaluates the rules, sends what is due. */
import { createConditions } from "../../platform/conditions/conditions.ts";
import { startWakefulLoop } from "../../platform/wakeful-loop.ts";
import type { Services } from "../../services.ts";
import type { EventConsumer } from "../webhooks/webhook-deliveries.tasks.ts";
import { parseRetrySchedule } from "../../platform/parse-retry-schedule.ts";
import { startDispatcher } from "./alert-dispatcher.ts";
import { CANDIDATES_CHANNEL, fanOutToAlertRules } from "./fan-out-to-rules.ts";
import { createRuleEvaluator } from "./evaluate-rules.ts";
import { ALERTS_CHANNEL } from "./record-decision.ts";

/** Seconds before each attempt: an alert that is an hour late is no alert. */
const DEFAULT_RETRY_SCHEDULE: readonly number[] = [0, 30, 120, 600];

/** A lost notification waits no longer than this. */
const EVALUATE_EVERY_MS = 1_000;

export interface Alerts {
  /** What the fan-out of events is to be given. */
  consumer: EventConsumer;
  stop(): Promise<void>;
}

export function startAlerts(services: Services): Alerts {
  const { database, tasks, log, config, publicUrl } = services;
  // A thread of its own: filters of runs may keep the other one busy for long.
  const conditions = createConditions();
  const setting = config.ROWMILL_ALERT_RETRY_SCHEDULE;
  const schedule = setting === undefined ? DEFAULT_RETRY_SCHEDULE : parseRetrySchedule(setting);
  const parts = { database, tasks, conditions, publicUrl, firstDelaySeconds: schedule[0] ?? 0 };
  const evaluateNext = createRuleEvaluator(parts);
  const dispatcher = startDispatcher(services, schedule);
  const evaluating = startWakefulLoop(log, {
    name: "evaluate alert rules",
    leastPauseMs: 0,
    pass: async () => ((await evaluateNext()) ? 0 : EVALUATE_EVERY_MS),
  });
  return {
    consumer: {
      target: fanOutToAlertRules,
      channels: { [CANDIDATES_CHANNEL]: () => evaluating.wake(), [ALERTS_CHANNEL]: () => dispatcher.wake() },
    },
    async stop() {
      await Promise.all([evaluating.stop(), dispatcher.stop()]);
      await conditions.close();
    },
  };
}
