/** Spans of runs: written where the event of their end passes by, which happens once for each. */
import { sql } from "../platform/database/database.ts";
import { parseId } from "../platform/ids.ts";
import type { Tracing } from "../platform/tracing.ts";
import type { EventConsumer } from "./webhooks/webhook-deliveries.tasks.ts";

export const followEndedRuns = (tracing: Tracing): EventConsumer => ({
  channels: {},
  async target(tx, eventIds) {
    const { rows } = await sql<{ organizationId: string; payload: string; createdAt: Date }>`
      select organization_id, payload, created_at from events
      where id = any(${eventIds}::uuid[]) and type = 'run.finished'`.execute(tx);
    for (const { organizationId, payload, createdAt } of rows) {
      const { data } = JSON.parse(payload) as { data: { id: string; state: string } }; // as `recordRunEnd` writes it
      const runId = parseId("run", data.id);
      if (runId !== undefined) tracing.recordRun({ organizationId, runId, state: data.state, endedAt: createdAt });
    }
  },
});
