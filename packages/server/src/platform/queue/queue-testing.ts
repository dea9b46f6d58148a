/** What tests see of the queue's tables. */
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { parseId } from "../ids.ts";

/** A lane that is left looks at the run once more, and ends one that is canceling. */
export async function runWithoutLanes(service: Pick<TestService, "query">, runId: string): Promise<void> {
  const lanes = "select 1 from pgboss.job where data->>'runId' = $1 and state < 'completed'";
  await waitFor(async () => (await service.query(lanes, [parseId("run", runId)])).length === 0, {
    what: "no lane of the run is left",
  });
}
