/** Runs that tests work on by hand, where a lane would have started them. */
import type { TestService } from "./service.ts";

/** Gives the run its chunks as its start does. It is over whole chunks of its dataset, from the first one on. */
export async function makeChunksByHand(service: Pick<TestService, "query">, runId: string): Promise<void> {
  await service.query(
    `with run as (update runs set chunks_made = true where id = $1 and not chunks_made returning organization_id, id, dataset_id, row_total)
     insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count)
     select run.organization_id, run.id, c.chunk_no, c.first_row, c.first_row + c.row_count - 1, c.row_count
     from run join dataset_chunks c on c.dataset_id = run.dataset_id and c.first_row < run.row_total`,
    [runId],
  );
}

export async function startByHand(
  service: Pick<TestService, "query">,
  runId: string,
  state = "running",
): Promise<void> {
  await makeChunksByHand(service, runId);
  await service.query("update runs set state = $2, started_at = now() where id = $1", [runId, state]);
}
