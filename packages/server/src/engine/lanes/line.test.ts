/** Organizations alternate, however many runs some of them have, and whatever priority they give these. */
import { beforeAll, expect, test } from "vitest";
import type { Dataset } from "@rowmill/contract/datasets";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

/** Of each of two organizations: a line of many seconds. */
const RUNS = 30;
const BUSY = "export default () => { let n = 0; while (n < 300_000) n++; return n; }";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_WORKER_CONCURRENCY: "1" });
});

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

  async started(ids: readonly string[]): Promise<number> {
    const runs = await Promise.all(ids.map((id) => getRun(this.#api, id)));
    return runs.filter(({ startedAt }) => startedAt !== null).length;
  }

  async startedBetween(ids: readonly string[], from: string, to: string): Promise<number> {
    const runs = await Promise.all(ids.map((id) => getRun(this.#api, id)));
    return runs.filter(({ startedAt }) => startedAt !== null && startedAt > from && startedAt < to).length;
  }

  cancel(ids: readonly string[]) {
    return Promise.all(ids.map((id) => this.#api("POST", `/v1/runs/${id}/cancel`)));
  }
}

test("two organizations with many urgent runs keep a third one's only run waiting for a moment", async () => {
  const [one, two, third] = [await Customer.new(20), await Customer.new(20), await Customer.new(1)];
  const start = (customer: Customer) => Promise.all(Array.from({ length: RUNS }, () => customer.start(5)));
  const [ofOne, ofTwo] = await Promise.all([start(one), start(two)]);
  expect(await third.end(await third.start(1))).toMatchObject({ state: "succeeded" });

  const started = (await one.started(ofOne)) + (await two.started(ofTwo));
  await Promise.all([one.cancel(ofOne), two.cancel(ofTwo)]);
  expect(started).toBeLessThan(RUNS);
});

test("an organization's urgent run comes before its others", async () => {
  const customer = await Customer.new(20);
  const others = await Promise.all(Array.from({ length: RUNS }, () => customer.start(3)));
  const urgent = await customer.end(await customer.start(4));
  expect(urgent).toMatchObject({ state: "succeeded" });

  // On a busy machine some of them have begun, or ended, before there was an urgent one.
  const passed = await customer.startedBetween(others, urgent.createdAt, urgent.startedAt ?? "");
  await customer.cancel(others);
  expect(passed).toBeLessThan(RUNS / 3);
});
