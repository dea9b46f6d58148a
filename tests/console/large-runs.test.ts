/** What screens of a run show where its rows are many, far apart, retried since, or charged without a response. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
const ROWS = 5000;
/** Farther apart than rows whose inputs are read together. */
const FAIL_EVERY = 1500;
let service: TestService;
let page: Page;
let rowmill: Rowmill;
let ids: { dataset: string; jobSpec: string; run: string };
let modelOrigin = "";
let closeModel = (): void => {};

beforeAll(async () => {
  if (browser === undefined) return;
  const model = await startCuttingModel();
  modelOrigin = model.origin;
  closeModel = model.close;
  service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin });
  const { api, apiKey } = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const dataset = await newDataset(api, numberedRows(ROWS), "Numbers");
  const processor = { type: "mock", failEvery: FAIL_EVERY, failUntilRetry: 1 } as const;
  const jobSpec = await rowmill.jobSpecs.create({ name: "Echo", processor });
  const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
  await rowmill.runs.waitFor(run.id);
  ids = { dataset: dataset.id, jobSpec: jobSpec.id, run: run.id };
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(async () => {
  await closePages(browser);
  closeModel();
});

/** A provider whose responses are cut off in their middle. */
async function startCuttingModel(): Promise<{ origin: string; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "400" });
      response.write('{"id":"chatcmpl-1","object":', () => response.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe.skipIf(browser === undefined)("a run of many rows", () => {
  test("reads only the rows at which its scroll bar rests", async () => {
    await page.goto(`${service.url}/runs/${ids.run}`);
    await page.getByRole("row", { name: /^1 Succeeded/ }).waitFor();
    const read = new Set<string | null>();
    page.on("requestfinished", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith("/rows")) read.add(searchParams.get("fromIndex"));
    });
    const isRows = (url: URL): boolean => url.pathname.endsWith("/rows");
    // What is asked for last is asked for when all that was passed is abandoned.
    const askedForTheEnd = Promise.withResolvers<void>();
    await page.route(isRows, async (route) => {
      if (route.request().url().includes("fromIndex=4900")) askedForTheEnd.resolve();
      await askedForTheEnd.promise;
      await route.fallback();
    });
    // As somebody drags it: each frame is another page.
    await page.evaluate(`(async () => {
      const grid = document.querySelector("[role=grid]");
      for (let step = 1; step <= 20; step++) {
        grid.scrollTop = (grid.scrollHeight * step) / 20;
        await new Promise((done) => requestAnimationFrame(done));
      }
    })()`);
    await askedForTheEnd.promise;
    await page.getByRole("row", { name: /^5,000 Succeeded/ }).waitFor();
    page.removeAllListeners("requestfinished");
    await page.unroute(isRows);
    // What the bar has passed was not asked for, or was broken off. The first page was there before.
    read.delete("0");
    expect([...read]).toEqual(["4900"]);
  });

  test("has the input of each failed row, however far apart they are, and a way back where none follows", async () => {
    await page.goto(`${service.url}/runs/${ids.run}?state=failed`);
    await page.getByRole("row", { name: /^1,500 Failed n 1499 / }).waitFor();
    await page.getByRole("row", { name: /^4,500 Failed n 4499 / }).waitFor();
    await page.getByLabel("Go to row").fill("4,600");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await page.getByText("No row from 4,600 on is in this state.").waitFor();
    // Zeros in front, and more digits than any row has.
    await page.getByLabel("Go to row").fill("004,700");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await page.getByText("No row from 4,700 on is in this state.").waitFor();
    await page.getByLabel("Go to row").fill("99999999999");
    await page.getByRole("button", { name: "Go", exact: true }).click();
    await page.getByText("No row from 999,999,999 on is in this state.").waitFor();
    await page.getByRole("button", { name: "Show from the first row" }).click();
    await page.getByRole("row", { name: /^1,500 Failed/ }).waitFor();
    await page.goto(`${service.url}/runs/${ids.run}/failures?code=provider_overloaded`);
    const row = page.getByRole("row", { name: /^3,000 n 2999 / });
    await row.waitFor();
    expect(await row.innerText()).toContain("fails every row");
  });

  test("shows no price of other rows while the right one is on its way, and waits for its turn", async () => {
    const refused = { error: { code: "rate_limited", message: "2 dry runs are at work: wait for them.", details: [] } };
    await page.goto(`${service.url}/runs/new?datasetId=${ids.dataset}&jobSpecId=${ids.jobSpec}`);
    await page.getByRole("button", { name: "Run 5,000 rows" }).waitFor();
    const asked: string[] = [];
    const arrived = Promise.withResolvers<void>();
    const letThrough = Promise.withResolvers<void>();
    const isRuns = (url: URL): boolean => url.pathname === "/v1/runs";
    await page.route(isRuns, async (route) => {
      const body = route.request().postData() ?? "";
      // A slow machine may ask once more for what was chosen before, until the filter is there.
      if (asked.length === 0 && !body.includes("row.n >= 4990")) return route.fallback();
      asked.push(body);
      if (asked.length === 1)
        return route.fulfill({ status: 429, headers: { "retry-after": "0" }, body: JSON.stringify(refused) });
      arrived.resolve();
      await letThrough.promise;
      await route.fallback();
    });
    await page.getByText("A filter", { exact: true }).click();
    await page.getByLabel("Rows for which this is true").fill("row.n >= 4990");
    await arrived.promise;
    await page.getByText("Counting rows and cost…").waitFor();
    expect(await page.getByRole("button", { name: "Run", exact: true }).getAttribute("aria-disabled")).toBe("true");
    expect(await page.getByRole("button", { name: /^Run 5,000/ }).count()).toBe(0);
    letThrough.resolve();
    await page.getByRole("button", { name: "Run 10 rows" }).waitFor();
    expect(asked.filter((body) => !body.includes("row.n >= 4990"))).toEqual([]);
    await page.unroute(isRuns);
  });

  test("leads to its newest retry, whose tables have the rows of both", async () => {
    const retry = await rowmill.runs.retry(ids.run);
    await rowmill.runs.waitFor(retry.id);
    await page.goto(`${service.url}/runs/${ids.run}/resolved`);
    await page.getByText("Retry 1 is newer than this run.").waitFor();
    expect(await page.getByText("One result for each row").innerText()).toBe(
      "One result for each row. A failure never hides an earlier success.",
    );
    await page.getByRole("button", { name: "Retry rows" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Rows that have succeeded since are left out").waitFor();
    await dialog.getByText("No row of the run is chosen").waitFor();
    await dialog.getByRole("link", { name: "Open retry 1" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${retry.id}`);
    await page.getByRole("link", { name: "Resolved" }).click();
    await page.getByText("One result for each row, over the 2 runs of the family up to this one.").waitFor();
    expect(await page.getByText("is newer than this run").count()).toBe(0);
  });

  test("says where a call counts with its highest cost, and where no row has succeeded", async () => {
    const connection = await rowmill.connections.create({
      type: "openai_compatible",
      name: "Cutting model",
      baseUrl: `${modelOrigin}/v1`,
      prices: { models: { cutting: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "10" } } },
    });
    const jobSpec = await rowmill.jobSpecs.create({
      name: "Cut off",
      processor: {
        type: "llm",
        connection: connection.id,
        model: "cutting",
        messages: [{ role: "user", content: "{{row.n}}" }],
        parameters: { maxOutputTokens: 500 },
      },
      retry: { maxAttempts: 2, initialDelayMs: 1 },
    });
    const scope = { type: "limit", count: 1 } as const;
    const run = await rowmill.runs.create({ datasetId: ids.dataset, jobSpecId: jobSpec.id, scope });
    await rowmill.runs.waitFor(run.id);
    await page.goto(`${service.url}/runs/${run.id}?row=0`);
    await page.getByText("2 calls reported no tokens and count with their highest cost").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("A call whose response was lost counts with its highest cost.").waitFor();
    await page.getByText("No row has succeeded.").waitFor();
    expect(Number((await rowmill.runs.get(run.id)).usage.costUsd)).toBeGreaterThan(0);
  });
});
