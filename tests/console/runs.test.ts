/** The list of runs: all of it in its address, views, and an action on everything that matches. */
import type { Browser } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
afterAll(() => closePages(browser));
/** More than one page. */
const RUNS = 53;

test.skipIf(browser === undefined)("a filter is in the address, has a name, and is acted upon as a whole", async () => {
  if (browser === undefined) return;
  const service = await startTestService();
  const own = await service.newOrganization();
  // No run ends by itself before the test does, however slow the machine is: a row takes a minute, and the next one waits for it.
  const dataset = await newDataset(own.api, numberedRows(60), "Numbers");
  const jobSpec = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 });
  const start = (name: string) =>
    newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, name, concurrency: 1 });
  for (let n = 0; n < RUNS; n++) await start(`Nightly ${n}`);
  await start("Kept");

  const context = await openContext(browser);
  const data = { by: "api_key", apiKey: own.apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  const page = await context.newPage();
  await page.goto(`${service.url}/runs`);
  const rows = page.locator("tbody tr");
  await page.getByLabel("Name begins with").fill("nightly");
  await expect.poll(() => rows.count()).toBe(50);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect.poll(() => rows.count()).toBe(RUNS);
  await page.getByRole("button", { name: "Created" }).click();
  await page.getByRole("button", { name: "Created" }).click();
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Duration" }).click();
  await page.keyboard.press("Escape");
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    name: "nightly",
    pages: "2",
    sort: "created",
    columns: "state,rows,cost,duration,created",
  });
  await page.reload();
  await expect.poll(() => rows.count()).toBe(RUNS);
  await rows.first().getByRole("link", { name: "Nightly 0", exact: true }).waitFor();

  await page.getByRole("button", { name: "Save this view" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Nights");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Clear" }).click();
  await rows.first().getByRole("link").waitFor();
  await page.getByRole("button", { name: "Nights", exact: true }).click();
  await page.waitForURL(/name=nightly/);

  await page.getByRole("button", { name: "Act on all that match" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`${RUNS} runs`, { exact: true }).waitFor();
  await dialog.getByRole("button", { name: `Cancel ${RUNS} runs` }).click();
  await dialog.getByText(`${RUNS} canceled.`).waitFor();
  expect(new URL(page.url()).searchParams.get("bulk")).toMatch(/^bulk_/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  // Into the list from anywhere, down, and open.
  await page.getByRole("heading", { name: "Runs", level: 1 }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Nightly 1", exact: true }).waitFor();
  await page.goto(`${service.url}/runs?name=kept`);
  await rows.getByRole("cell", { name: "Running", exact: true }).waitFor();
  await context.close();
});
