/** An organization with more datasets and job specs than a list to choose from has, and with names of every kind. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { visitorOf } from "./visits.ts";

const browser: Browser | undefined = await findBrowser();
/** More than are read at once to choose from. */
const OTHERS = 205;
const OLD_DATASET = "Oldest rows";
/** From right to left, and longer than any column. */
const OLD_SPEC = `نص طويل ${"جدا ".repeat(40)}`.trim();
let service: TestService;
let page: Page;
let runId = "";

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { api, apiKey } = await service.newOrganization();
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const dataset = await newDataset(api, numberedRows(4), OLD_DATASET);
  const spec = await rowmill.jobSpecs.create({ name: OLD_SPEC, processor: { type: "mock", failEvery: 2 } });
  for (let n = 0; n < OTHERS; n++) await rowmill.jobSpecs.create({ name: `Spec ${n}`, processor: { type: "mock" } });
  const made = Array.from({ length: OTHERS }, (_, n) => newDataset(api, numberedRows(1), `Dataset ${n}`));
  await Promise.all(made);
  const price = { inputUsdPerMillionTokens: "2.50", outputUsdPerMillionTokens: "10.00" };
  await rowmill.connections.create({
    type: "openai_compatible",
    name: "A model with a long name that nobody has shortened",
    baseUrl: "https://models.of-a-company-with-a-long-name.example.com/v1",
    rateLimit: { requestsPerMinute: 60_000, tokensPerMinute: 40_000_000 },
    prices: { models: { "house-small": price, "a-model-with-a-long-name-2026-11-27": price } },
  });
  const scope = { type: "all" } as const;
  const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: spec.id, scope });
  await rowmill.runs.waitFor(run.id);
  runId = run.id;
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

describe.skipIf(browser === undefined)("among hundreds of datasets and job specs", () => {
  test("any of them can be chosen for a run, by how its name begins", async () => {
    await page.goto(`${service.url}/runs/new`);
    const dataset = page.getByLabel("Dataset", { exact: true });
    const spec = page.getByLabel("Job spec", { exact: true });
    await dataset.getByText("These are the newest").waitFor({ state: "attached" });
    expect(await dataset.getByText(OLD_DATASET).count()).toBe(0);
    await page.getByLabel("Name of the dataset begins with").fill("oldest");
    await dataset.getByText(OLD_DATASET).waitFor({ state: "attached" });
    await dataset.selectOption({ label: OLD_DATASET });
    await page.getByLabel("Name of the job spec begins with").fill("نص");
    await spec.getByText(OLD_SPEC).waitFor({ state: "attached" });
    await spec.selectOption({ label: OLD_SPEC });
    await page.getByRole("button", { name: "Run 4 rows" }).waitFor();
    // What is chosen stays while others are looked for, and where none is found.
    await page.getByLabel("Name of the dataset begins with").fill("no such");
    await expect.poll(() => dataset.getByRole("option").count()).toBe(2);
    await page.getByRole("button", { name: "Run 4 rows" }).waitFor();
    expect(await page.getByText("There is no dataset yet.").count()).toBe(0);
  });

  test("a run of old ones has their names in lists, each in its own direction", async () => {
    await page.goto(`${service.url}/runs`);
    await page.getByRole("link", { name: `${OLD_SPEC} on ${OLD_DATASET}` }).waitFor();
    await page.goto(service.url);
    const failures = page.getByRole("listitem").filter({ hasText: "2 rows of" });
    await failures.waitFor();
    // The names of old things are read one by one.
    await expect.poll(() => failures.locator("bdi").innerText()).toBe(`${OLD_SPEC} on ${OLD_DATASET}`);
  });

  test("any of them can be what runs are filtered by", async () => {
    await page.goto(`${service.url}/runs`);
    const dataset = page.getByLabel("Dataset", { exact: true });
    await dataset.getByText("These are the newest").waitFor({ state: "attached" });
    expect(await dataset.getByText(OLD_DATASET).count()).toBe(0);
    await page.getByLabel("Name of the dataset begins with").fill("oldest");
    await dataset.getByText(OLD_DATASET).waitFor({ state: "attached" });
    await dataset.selectOption({ label: OLD_DATASET });
    await page.getByRole("link", { name: `${OLD_SPEC} on ${OLD_DATASET}` }).waitFor();
    expect(new URL(page.url()).searchParams.get("datasetId")).toMatch(/^ds_/);
  });

  test("fit a window of 320 pixels, as a large one enlarged four times", async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    const visitor = visitorOf(page, service.url);
    const lists = [
      "",
      "runs",
      "datasets",
      "job-specs",
      "connections",
      "webhooks",
      "alerts",
      "members",
      "audit",
      "settings",
    ];
    for (const path of [...lists, "runs/new", `runs/${runId}`, `runs/${runId}/failures`]) {
      await visitor.go(`/${path}`);
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 320]);
    }
  });
});
