/** The list of runs: all of it in its address, views, and an action on everything that matches. */
import type { Browser } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import type { Body } from "@rowmill/client";
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
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({ name: "nightly", pages: "2", sort: "created", columns: "state,rows,cost,duration,created" });
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

test.skipIf(browser === undefined)("who has started a run, also with a key that is revoked", async () => {
  if (browser === undefined) return;
  const service = await startTestService();
  const { api, apiKey, organizationId } = await service.newOrganization();
  const { organizations } = new Rowmill({ baseUrl: service.url, apiKey });
  const { apiKeys } = organizations;
  const newKey = (name: string, scopes?: Body<"createApiKey">["scopes"]) =>
    apiKeys.create(organizationId, { name, ...(scopes && { scopes }) });
  const [ada, ben, viewer] = [
    await newKey("Ada"),
    await newKey("Ben"),
    await newKey("Viewer", ["runs:read", "job_specs:read", "datasets:read"]),
  ];
  const dataset = await newDataset(api, numberedRows(2), "r20.csv");
  const jobSpec = await newJobSpec(api);
  const start = ({ key = "" }) =>
    new Rowmill({ baseUrl: service.url, apiKey: key }).runs.create({
      datasetId: dataset.id,
      jobSpecId: jobSpec.id,
      scope: { type: "all" },
    });
  const pageOf = async (key: string) => {
    const context = await openContext(browser);
    const data = { by: "api_key", apiKey: key };
    await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
    return context.newPage();
  };
  await start(ada);
  const page = await pageOf(apiKey);
  await page.goto(`${service.url}/runs`);
  await page.locator("tbody tr").getByRole("link").first().waitFor();
  const head = page.getByRole("columnheader", { name: "Started by" });
  expect(await head.count()).toBe(0);
  const second = await start(ben);
  await apiKeys.revoke(organizationId, ben.id);
  await page.reload();
  await head.waitFor();
  const cells = page.locator("tbody tr").getByText(/^(Ada|Ben)$/);
  await expect.poll(() => cells.allTextContents()).toEqual(["Ben", "Ada"]);
  const starter = page.getByLabel("Started by", { exact: true });
  await starter.selectOption({ label: "Ben (revoked)" });
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("apiKeyId")).toBe(ben.id);
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
  await page.setViewportSize({ width: 900, height: 800 });
  expect(await head.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${service.url}/runs/${second.id}`);
  await page.getByText(/^Started by Ben$/).waitFor();
  await page.getByRole("link", { name: "Ben", exact: true }).click();
  await page.getByRole("region", { name: "API keys" }).getByText("Ben", { exact: true }).waitFor();

  const other = await pageOf(viewer.key ?? "");
  await other.goto(`${service.url}/runs/${second.id}`);
  await other.getByText(`Started by key_…${ben.id.slice(-6)}`, { exact: true }).waitFor();
  expect(await other.getByRole("link", { name: /^key_/ }).count()).toBe(0);
  // What this key may not read is not asked for.
  const refused = await organizations.auditEvents(organizationId, { type: ["auth.denied"] });
  expect(refused.data).toEqual([]);
  await Promise.all([page.context().close(), other.context().close()]);
});
