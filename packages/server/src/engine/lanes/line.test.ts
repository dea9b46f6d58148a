/** Organizations alternate, however many runs some of them have, and whatever priority they give these. */
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { Dataset } from "@rowmill/contract/datasets";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Run } from "@rowmill/contract/runs";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { parseId } from "../../platform/ids.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

/** Of each of two organizations: a line of many seconds. */
const RUNS = 30;
const BUSY = "export default () => { let n = 0; while (n < 300_000) n++; return n; }";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_ROLE: "api" });
});

/** Begins to work on the line once it is there: on a slow machine, its end is made later than its beginning is worked off. */
async function startWorker(): Promise<void> {
  const worker = await startTestService({
    ...service.settings,
    ROWMILL_ROLE: "worker",
    ROWMILL_WORKER_CONCURRENCY: "1",
  });
  onTestFinished(() => worker.stop());
}

class Customer {
  readonly #api: Api;
  readonly #dataset: Dataset;
  readonly #spec: JobSpec;

  private constructor(api: Api, dataset: Dataset, spec: JobSpec) {
    this.#api = api;
    this.#dataset = dataset;
    this.#spec = spec;
  }

  static async new(rows: number): Promise<Customer> {
    const { api } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(rows));
    return new Customer(api, dataset, await newJobSpec(api, { type: "transform", language: "javascript", code: BUSY }));
  }

  async start(priority: number): Promise<string> {
    return (await newRun(this.#api, { datasetId: this.#dataset.id, jobSpecId: this.#spec.id, priority })).id;
  }

  end(id: string) {
    return finishedRun(this.#api, id);
  }

  someStarted(ids: readonly string[]) {
    return waitFor(async () => (await this.#read(ids)).some(({ startedAt }) => startedAt !== null));
  }

  /** How many of these began after the run was made, and before it began. */
  async startedDuringWaitOf(run: Run, ids: readonly string[]): Promise<number> {
    const began = (await this.#read(ids)).map(({ startedAt }) => startedAt ?? "");
    return began.filter((startedAt) => startedAt > run.createdAt && startedAt < (run.startedAt ?? "")).length;
  }

  #read(ids: readonly string[]): Promise<Run[]> {
    return Promise.all(ids.map((id) => getRun(this.#api, id)));
  }

  cancel(ids: readonly string[]) {
    return Promise.all(ids.map((id) => this.#api("POST", `/v1/runs/${id}/cancel`)));
  }
}

test("two organizations with many urgent runs keep a third one's only run waiting for a moment", async () => {
  const [one, two, third] = [await Customer.new(20), await Customer.new(20), await Customer.new(1)];
  const start = (customer: Customer) => Promise.all(Array.from({ length: RUNS }, () => customer.start(5)));
  const [ofOne, ofTwo] = await Promise.all([start(one), start(two)]);
  await startWorker();
  await one.someStarted(ofOne);
  const only = await third.end(await third.start(1));
  expect(only).toMatchObject({ state: "succeeded" });

  const passed = (await one.startedDuringWaitOf(only, ofOne)) + (await two.startedDuringWaitOf(only, ofTwo));
  await Promise.all([one.cancel(ofOne), two.cancel(ofTwo)]);
  expect(passed).toBeLessThan(RUNS / 2);
});

test("an organization's urgent run comes before its others", async () => {
  const customer = await Customer.new(20);
  const others = await Promise.all(Array.from({ length: RUNS }, () => customer.start(3)));
  await startWorker();
  await customer.someStarted(others);
  const urgent = await customer.end(await customer.start(4));
  expect(urgent).toMatchObject({ state: "succeeded" });

  const passed = await customer.startedDuringWaitOf(urgent, others);
  await customer.cancel(others);
  expect(passed).toBeLessThan(RUNS / 3);
});

test("a new run comes behind its organization's runs of its priority and of higher ones, with all its lanes", async () => {
  const customer = await Customer.new(4);
  const placeBehindFront = async (priority: number): Promise<number | undefined> => {
    const [line] = await service.query<{ front: number }>("select front_of_line('run-lane')::int as front");
    const id = parseId("run", await customer.start(priority));
    const [job] = await service.query<{ place: number }>(
      "select priority as place from pgboss.job where name = 'run-lane' and data->>'runId' = $1",
      [id],
    );
    return job && -job.place - (line?.front ?? 0);
  };
  // Each has one lane. Behind more urgent ones, a run comes once in ten rounds.
  const places = [];
  for (const priority of [3, 3, 5, 3]) places.push(await placeBehindFront(priority));
  expect(places).toEqual([1, 2, 1, 40]);
});
