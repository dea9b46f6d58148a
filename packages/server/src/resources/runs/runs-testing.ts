/** Reading whole lists of runs in tests. */
import { expect } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import type { Api } from "../../testing/api.ts";
import { expectStatus } from "../../testing/api.ts";
import { parseId } from "../../platform/ids.ts";
import { newJobSpec, newRun } from "../../testing/factories.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

/** All items of a list, page by page. */
export async function readAll<T>(api: Api, path: string, limit = 1000): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `limit=${limit}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await api<{ data: T[]; nextCursor: string | null }>(
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}${query}`,
    );
    expectStatus(page, 200);
    items.push(...page.body.data);
    cursor = page.body.nextCursor;
  } while (cursor !== null);
  return items;
}

/** All items of a list as it streams them. */
export async function readStream<T>(api: Api, path: string): Promise<T[]> {
  const response = await api("GET", path, { headers: { Accept: "application/x-ndjson" } });
  expectStatus(response, 200);
  return response.text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T); // as the operation describes its items
}

export const getRun = async (api: Api, runId: string): Promise<Run> =>
  (await api<Run>("GET", `/v1/runs/${runId}`)).body;

/** Waits until the run is in one of the states. */
export function runInState(api: Api, runId: string, ...states: Run["state"][]): Promise<Run> {
  return waitFor(
    async () => {
      const run = await getRun(api, runId);
      return states.includes(run.state) ? run : undefined;
    },
    { what: `the run is ${states.join(" or ")}` },
  );
}

/**
 * The run once no chunk of it is claimed, so that all that was begun is recorded. `rows.running` follows reports of the workers, and may be
 * 0 sooner.
 */
export async function runWithoutClaims(service: Pick<TestService, "query">, api: Api, runId: string): Promise<Run> {
  const claimed = "select 1 from run_chunks where run_id = $1 and state = 'running'";
  await waitFor(async () => (await service.query(claimed, [parseId("run", runId)])).length === 0, {
    what: "no chunk of the run is claimed",
  });
  return getRun(api, runId);
}

/** Makes runs that begin when all of them are made: until then, another run over the dataset has the only place of the organization. */
export async function makeTogether<T>(
  service: Pick<TestService, "api">,
  { api, organizationId }: Pick<TestOrganization, "api" | "organizationId">,
  datasetId: string,
  make: () => Promise<T>,
): Promise<T> {
  const limit = async (runsInProgress: number | null): Promise<void> => {
    const body = { limits: { runsInProgress } };
    expectStatus(await service.api("PATCH", `/v1/organizations/${organizationId}`, { body }), 200);
  };
  await limit(1);
  const hanging = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
  const { id } = await newRun(api, { datasetId, jobSpecId: hanging.id });
  const made = await make();
  await limit(null);
  expectStatus(await api("POST", `/v1/runs/${id}/cancel`), 200);
  return made;
}

/** Far enough to be moved by `passDeadline` when the run is where a test wants it. */
export const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** The deadline of the run is now. */
export const passDeadline = async ({ query }: Pick<TestService, "query">, run: Pick<Run, "id">): Promise<void> =>
  void (await query("update runs set deadline_at = now() where id = $1", [parseId("run", run.id)]));

/** What holds at every moment: every row is counted once. */
export function expectCountsToAddUp({ rows }: Pick<Run, "rows">): void {
  const { total, ...parts } = rows;
  expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBe(total);
  expect(Math.min(...Object.values(parts))).toBeGreaterThanOrEqual(0);
}

/** The types of a run's events in order; their numbers must have no gap. */
export async function eventTypes(api: Api, runId: string): Promise<string[]> {
  const events = await readAll<{ sequence: number; type: string }>(api, `/v1/runs/${runId}/events`);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, i) => i + 1));
  return events.map(({ type }) => type);
}
