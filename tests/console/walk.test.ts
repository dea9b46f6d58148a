/** What the main job passes by: the first start, new runs that wait, a sample before a run, the family of a run, one-click files. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let own: TestOrganization;

beforeAll(async () => {
  if (browser !== undefined) service = await startTestService();
});
afterAll(() => closePages(browser));

async function newVisit(): Promise<Page> {
  if (browser === undefined) throw new Error("there is no browser");
  own = await service.newOrganization();
  const context = await openContext(browser);
  const data = { by: "api_key", apiKey: own.apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  return context.newPage();
}

describe.skipIf(browser === undefined)("the console", () => {
  test("offers three ways to begin, and its own data for a rehearsal", async () => {
    const page = await newVisit();
    await page.goto(`${service.url}/`);
    for (const name of ["Bring a file", "Try the demo data", "Connect a model"])
      await page.getByRole("heading", { name, exact: true }).waitFor();
    await page.getByRole("button", { name: "Load 200 reviews" }).click();
    await page.getByText("200 rows").first().waitFor();
    await page.goto(`${service.url}/`);
    await page.getByRole("heading", { name: "Say what happens to each row" }).waitFor();
    expect(await page.getByRole("link", { name: "New job spec" }).count()).toBe(1);
    await page.context().close();
  });

  test("offers new runs by a button, and moves no row before", async () => {
    const page = await newVisit();
    const dataset = await newDataset(own.api, numberedRows(4), "Numbers");
    const jobSpec = await newJobSpec(own.api, { type: "mock" });
    const start = (name: string) => newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, name });
    await start("Older");
    await page.goto(`${service.url}/runs`);
    const rows = page.locator("tbody tr");
    await rows.getByRole("link", { name: "Older", exact: true }).waitFor();
    await start("Newer");
    await page.getByRole("button", { name: "1 new run", exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.keyboard.press("n");
    await rows.getByRole("link", { name: "Newer", exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await page.context().close();
  });

  test("suggests a sample where nothing is known of the price, and has the price on the button", async () => {
    const page = await newVisit();
    const dataset = await newDataset(own.api, numberedRows(2_000), "Many numbers");
    const connection = await own.api<{ id: string }>("POST", "/v1/connections", {
      body: {
        type: "openai_compatible",
        name: "House model",
        baseUrl: "https://models.example.com/v1",
        secret: "house-model-secret-7Qd2",
        prices: { models: { "*": { inputUsdPerMillionTokens: "2.5", outputUsdPerMillionTokens: "10" } } },
      },
    });
    expect(connection.status).toBe(201);
    const jobSpec = await newJobSpec(own.api, {
      type: "llm",
      connection: connection.body.id,
      model: "house-small",
      messages: [{ role: "user", content: "Spell {{row.n}}." }],
      parameters: { maxOutputTokens: 200 },
    });
    await page.goto(`${service.url}/runs/new?datasetId=${dataset.id}&jobSpecId=${jobSpec.id}`);
    await page.getByRole("button", { name: /^Run 2,000 rows for about \$/ }).waitFor();
    await page.getByRole("button", { name: "Sample 100", exact: true }).click();
    await page.getByRole("button", { name: /^Run 100 rows for about \$/ }).waitFor();
    expect(await page.getByLabel("Number of rows").inputValue()).toBe("100");

    // Until the price of the chosen rows is there, the button has none, and starts nothing.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/v1/runs", async (route) => {
      await released;
      await route.continue();
    });
    await page.getByLabel("Number of rows").fill("700");
    const start = page.getByRole("button", { name: /^Run( |$)/ });
    await expect.poll(() => start.getAttribute("aria-disabled")).toBe("true");
    await page.getByLabel("Name", { exact: true }).fill("Started too early");
    await page.keyboard.press("Enter");
    await start.dispatchEvent("click");
    release();
    await page.getByRole("button", { name: /^Run 700 rows for about \$/ }).waitFor();
    await expect.poll(() => start.getAttribute("aria-disabled")).toBe(null);
    expect((await own.api<{ data: unknown[] }>("GET", "/v1/runs")).body.data).toEqual([]);
    await page.context().close();
  });

  test("draws the family of a run, and writes a table by one click", async () => {
    const page = await newVisit();
    const dataset = await newDataset(own.api, numberedRows(20), "Numbers");
    const jobSpec = await newJobSpec(own.api, { type: "mock", failEvery: 5, failUntilRetry: 1 });
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
    await finishedRun(own.api, run.id);
    const retried = await own.api<{ id: string }>("POST", `/v1/runs/${run.id}/retry`, {
      body: { selection: { type: "failures" } },
    });
    await finishedRun(own.api, retried.body.id);
    await page.goto(`${service.url}/runs/${run.id}/lineage`);
    const child = page.getByRole("listitem").filter({ hasText: "of the first run" });
    await child.getByRole("link").click();
    await page.waitForURL(`${service.url}/runs/${retried.body.id}`);
    await page.goto(`${service.url}/runs/${run.id}/exports`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Flat Parquet" }).click();
    expect((await download).suggestedFilename()).toMatch(/\.parquet$/);
    await page.goto(`${service.url}/runs/${run.id}/events`);
    await page.getByText("Run partially succeeded", { exact: true }).waitFor();
    await page.context().close();
  });
});
