/** From the parts of a run to what they are about: the map to its rows, the job spec to its versions, the head to both origins. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { inAnHour, passDeadline } from "@rowmill/server/resources/runs/runs-testing";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
const root = join(import.meta.dirname, "..", "..");
const ROWS = 60;
let service: TestService;
let page: Page;
let key: string;
let rowmill: Rowmill;
let ids: { dataset: string; jobSpec: string; run: string; retry: string };

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "5" });
  const { api, apiKey } = await service.newOrganization();
  key = apiKey;
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const dataset = await newDataset(api, numberedRows(ROWS), "Numbers");
  const jobSpec = await rowmill.jobSpecs.create({ name: "Echo", processor: { type: "mock", failEvery: 20 } });
  const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
  await rowmill.runs.waitFor(run.id);
  await rowmill.jobSpecs.versions.create(jobSpec.id, { processor: { type: "mock", failEvery: 777 } });
  const retry = await rowmill.runs.retry(run.id, { selection: { type: "failures" }, jobSpecVersion: 2 });
  await rowmill.runs.waitFor(retry.id);
  ids = { dataset: dataset.id, jobSpec: jobSpec.id, run: run.id, retry: retry.id };
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

const runFile = promisify(execFile);
/** What a program prints that knows the key and nothing else. */
const ran = async (program: string, words: string[]): Promise<string> =>
  (await runFile(program, words, { cwd: root, env: { PATH: process.env["PATH"], ROWMILL_API_KEY: key } })).stdout;

const searchOf = (name: string) => () => new URL(page.url()).searchParams.get(name);

describe.skipIf(browser === undefined)("a run leads", () => {
  test("from a cell of its map to the rows, by the keyboard and with the mouse", async () => {
    await page.goto(`${service.url}/runs/${ids.run}/failures`);
    const map = page.getByRole("slider", { name: /^Position in the run/ });
    await map.focus();
    await page.keyboard.press("End");
    await page.getByText(/^Rows 56 to 60 · /).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(searchOf("from")).toBe("55");
    await page.getByRole("row", { name: /^60 / }).waitFor();
    await map.locator("canvas").click({ position: { x: 3, y: 3 } });
    await expect.poll(searchOf("from")).toBe("0");
  });

  test("to its requests, as a command and as a program that run where they are pasted", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    async function copied(opener: string, what: string): Promise<string> {
      await page.evaluate("navigator.clipboard.writeText('')");
      await page.getByRole("button", { name: opener }).click();
      await page.getByRole("menuitem", { name: what }).filter({ visible: true }).click();
      await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).not.toBe("");
      return String(await page.evaluate("navigator.clipboard.readText()"));
    }
    const pasted = async (opener: string) => ({
      curl: await ran("sh", ["-c", await copied(opener, "Copy as curl")]),
      typescript: await ran(process.execPath, [
        "--conditions=@rowmill/source",
        "--input-type=module-typescript",
        "--eval",
        await copied(opener, "Copy as TypeScript"),
      ]),
    });
    await page.goto(`${service.url}/runs/${ids.run}`);
    const one = await pasted("More actions");
    expect(JSON.parse(one.curl)).toMatchObject({ id: ids.run, state: "partially_succeeded" });
    expect(one.typescript).toContain(`id: '${ids.run}'`);
    await page.goto(`${service.url}/runs?state=failed,partially_succeeded&jobSpecId=${ids.jobSpec}`);
    await page.getByRole("link", { name: "Echo on Numbers" }).first().waitFor();
    const list = await pasted("Copy as code");
    const listed = JSON.parse(list.curl) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual([ids.run]);
    expect(list.typescript).toContain(`id: '${ids.run}'`);
    await page.goto(`${service.url}/runs/new?datasetId=${ids.dataset}&jobSpecId=${ids.jobSpec}`);
    await page.getByText("The first", { exact: true }).click();
    const made = await pasted("Copy as code");
    expect(JSON.parse(made.curl)).toMatchObject({ datasetId: ids.dataset, scope: { type: "limit" } });
    expect(made.typescript).toMatch(/^run_[0-9a-z]{26} /);
  });

  test("to a price only when its rows are known: an empty filter has none, and nothing is under way", async () => {
    await page.goto(`${service.url}/runs/new?datasetId=${ids.dataset}&jobSpecId=${ids.jobSpec}`);
    await page.getByRole("button", { name: `Run ${ROWS} rows` }).waitFor();
    await page.getByText("A filter", { exact: true }).click();
    const start = page.getByRole("button", { name: "Run", exact: true });
    await start.waitFor();
    await expect.poll(() => start.getAttribute("aria-disabled")).toBe(null);
    expect(await start.isDisabled()).toBe(true);
    await page.getByLabel("Rows for which this is true").fill("row.n >= 50");
    await page.getByRole("button", { name: "Run 10 rows" }).waitFor();
  });

  test("to limits that it has as they were written, shows, and changes", async () => {
    const slow = await rowmill.jobSpecs.create({ name: "Waits", processor: { type: "mock", delayMs: 60_000 } });
    await page.goto(`${service.url}/runs/new?datasetId=${ids.dataset}&jobSpecId=${slow.id}`);
    const start = page.getByRole("button", { name: `Run ${ROWS} rows` });
    await start.waitFor();
    const deadline = page.getByLabel("Deadline");
    // The browser takes a year of six digits, which must not break the page. Nothing is started with such a time, or with one in the past.
    const refused = page.locator("input:out-of-range").and(deadline);
    for (const wrong of ["202666-01-02T03:04", "2001-02-03T04:05"]) {
      await deadline.fill(wrong);
      await start.click();
      await refused.waitFor();
    }
    await deadline.fill("2099-12-31T18:30");
    await page.getByLabel("Name", { exact: true }).fill("With limits");
    await page.getByLabel("Budget in US dollars").fill("1.25");
    await page.getByLabel("When the budget is spent").selectOption("cancel");
    await page.getByLabel("Rows in flight at once").fill("3");
    await page.getByLabel("End when so many percent fail").fill("12.5");
    await start.click();
    await page.getByRole("heading", { name: "With limits", level: 1 }).waitFor();
    const runId = /run_\w+/.exec(page.url())?.[0] ?? "";
    expect((await rowmill.runs.list({ jobSpecId: slow.id })).data.length).toBe(1);
    const limits = { budget: { maxCostUsd: "1.25", onExceeded: "cancel" }, concurrency: 3, name: "With limits" };
    const deadlineAt = new Date("2099-12-31T18:30").toISOString();
    const first = await rowmill.runs.get(runId);
    expect(first).toMatchObject({ ...limits, deadlineAt, failurePolicy: { maxFailedPercent: 12.5 } });
    const progress = page.getByRole("region", { name: "Progress" });
    await progress.getByText("above 12.5% failed, after 100 rows").waitFor();
    expect(await progress.locator("time").first().getAttribute("datetime")).toBe(deadlineAt);
    await page.getByRole("button", { name: "Adjust" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("End when so many percent fail").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await progress.getByText("above 12.5% failed").waitFor({ state: "detached" });
    expect(await rowmill.runs.get(runId)).toMatchObject({ ...limits, failurePolicy: null });
    await rowmill.runs.cancel(runId);
  });

  test("to why it ended before its last row: too many failures, or its deadline", async () => {
    const spec = await rowmill.jobSpecs.create({ name: "Often", processor: { type: "mock", failEvery: 2 } });
    const slow = await rowmill.jobSpecs.create({ name: "Late", processor: { type: "mock", delayMs: 60_000 } });
    const failing = await rowmill.runs.create({
      datasetId: ids.dataset,
      jobSpecId: spec.id,
      scope: { type: "all" },
      failurePolicy: { maxFailedRows: 3, maxFailedPercent: 10, minEvaluatedRows: 5 },
    });
    const late = await rowmill.runs.create({
      datasetId: ids.dataset,
      jobSpecId: slow.id,
      scope: { type: "all" },
      deadlineAt: inAnHour(),
    });
    await passDeadline(service, late);
    await Promise.all([failing, late].map(({ id }) => rowmill.runs.waitFor(id)));
    for (const [id, state, words, reason] of [
      [
        failing.id,
        "Failed",
        "above 10% failed, after 5 rows; above 3 failed rows",
        / failed, and the failure policy allows /,
      ],
      [late.id, "Expired", "0%", `The deadline came before ${ROWS} rows were finished.`],
    ] as const) {
      await page.goto(`${service.url}/runs/${id}`);
      await page.getByText(state, { exact: true }).first().waitFor();
      await page.getByText(reason).waitFor();
      await page.getByRole("region", { name: "Progress" }).getByText(words).first().waitFor();
      expect(await page.getByRole("button", { name: /^Retry \d+ rows/ }).count()).toBe(1);
    }
  });

  test("to values that are changed in place: a slow save does not take the focus from elsewhere, and cannot be left", async () => {
    const jobSpec = await rowmill.jobSpecs.create({ name: "Slow", processor: { type: "mock", delayMs: 20_000 } });
    const run = await rowmill.runs.create({
      datasetId: ids.dataset,
      jobSpecId: jobSpec.id,
      scope: { type: "all" },
      concurrency: 2,
    });
    const saved = Promise.withResolvers<void>();
    await page.route(`**/v1/runs/${run.id}`, async (route) => {
      if (route.request().method() === "PATCH") await saved.promise;
      await route.continue();
    });
    await page.goto(`${service.url}/runs/${run.id}`);
    const change = page.getByRole("button", { name: "Rows in flight at once: change" });
    await change.click();
    const field = page.getByRole("textbox", { name: "Rows in flight at once" });
    await field.fill("7");
    await field.press("Enter");
    await expect.poll(() => page.getByRole("button", { name: "Keep as it is" }).isDisabled()).toBe(true);
    const elsewhere = page.getByRole("button", { name: "Adjust" });
    await elsewhere.focus();
    saved.resolve();
    await change.getByText("7").waitFor();
    expect(await page.locator(":focus").and(elsewhere).count()).toBe(1);
    expect((await rowmill.runs.get(run.id)).concurrency).toBe(7);
    await page.unrouteAll({ behavior: "wait" });
    await rowmill.runs.cancel(run.id);
  });

  test("to the versions of its job spec and what is different in them, and back", async () => {
    await page.goto(`${service.url}/runs/${ids.retry}/spec`);
    await page.getByRole("heading", { name: "What is different from version 1, which the parent used" }).waitFor();
    const differences = page.getByLabel("Differences");
    expect(await differences.innerText()).toMatch(/- .*"failEvery": 20\n\+ .*"failEvery": 777/);
    // The screens share what they have read: each must find what it needs.
    await page.getByRole("link", { name: "Open the job spec" }).click();
    await page.getByRole("button", { name: "What changed" }).click();
    await differences.getByText(/777/).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { name: "Version 2", exact: true }).waitFor();
    expect(await page.getByText("failEvery").count()).toBeGreaterThan(0);
    await page.goto(`${service.url}/runs/${ids.run}/spec`);
    await page.getByRole("heading", { name: "Version 1", exact: true }).waitFor();
    expect(await differences.count()).toBe(0);
  });

  test("from its head to the dataset and the job spec; an unknown address has a way on", async () => {
    for (const [name, path] of [
      ["Numbers", `/datasets/${ids.dataset}`],
      ["Echo", `/job-specs/${ids.jobSpec}`],
    ] as const) {
      await page.goto(`${service.url}/runs/${ids.run}`);
      await page.getByRole("heading", { level: 1 }).getByRole("link", { name, exact: true }).click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(path);
      await page.getByRole("heading", { name, level: 1, exact: true }).waitFor();
    }
    await page.goto(`${service.url}/no/such/page`);
    await page.getByText("There is no such page.").waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  });

  test("from a part of the rows to a run on all of them", async () => {
    const part = await rowmill.runs.create({
      datasetId: ids.dataset,
      jobSpecId: ids.jobSpec,
      scope: { type: "sample", count: 5, seed: 1 },
    });
    await rowmill.runs.waitFor(part.id);
    await page.goto(`${service.url}/runs/${part.id}`);
    await page.getByRole("link", { name: "Run all rows" }).click();
    await page.getByRole("button", { name: `Run ${ROWS} rows` }).waitFor();
    // Those that had all rows, and retries, which have rows of another run, lead to no such thing.
    for (const id of [ids.run, ids.retry]) {
      await page.goto(`${service.url}/runs/${id}`);
      await page.getByRole("button", { name: /^(Retry|Run rows again)/ }).waitFor();
      expect(await page.getByRole("link", { name: "Run all rows" }).count()).toBe(0);
    }
  });

  test("to its family: the newest retry below it, an older one beside", async () => {
    const again = await rowmill.runs.retry(ids.run, { selection: { type: "rows", rowIds: await firstRowIds() } });
    await rowmill.runs.waitFor(again.id);
    await page.goto(`${service.url}/runs/${ids.run}/lineage`);
    const members = page.getByRole("list", { name: "The family of this run" }).getByRole("listitem");
    await members.nth(2).waitFor();
    expect((await members.allInnerTexts()).map((text) => text.split("\n").filter((line) => line !== ""))).toMatchObject(
      [
        ["First run", "60 rows, shown here", "Some rows failed"],
        ["Retry of failed rows", "3 rows of the first run", "Retry 1", "Succeeded"],
        ["Retry of 2 chosen rows", "2 rows of the first run", "Retry 2", "Succeeded"],
      ],
    );
    const leftOf = async (at: number) => (await members.nth(at).locator("[aria-hidden] > span").boundingBox())?.x ?? 0;
    expect(await leftOf(2)).toBe(await leftOf(0));
    expect(await leftOf(1)).toBeGreaterThan(await leftOf(0));
    // Where they are of several keys, each has its own.
    const { organizationId } = await rowmill.me();
    const { key } = await rowmill.organizations.apiKeys.create(organizationId ?? "", { name: "Ben" });
    const ben = new Rowmill({ baseUrl: service.url, apiKey: key ?? "" });
    const third = await ben.runs.retry(ids.run, { selection: { type: "rows", rowIds: await firstRowIds() } });
    await ben.runs.waitFor(third.id);
    await members.nth(3).getByText("Started by Ben", { exact: true }).waitFor();
    expect(await members.getByText(/^Started by /).count()).toBe(4);
    await members.nth(1).getByRole("link").click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${ids.retry}`);
  });
});

describe.skipIf(browser === undefined)("the rows of a run", () => {
  test("have the columns in the order of the file, also those that are named by numbers", async () => {
    const content = "name,2026,city,1\nAda,12,London,x\nGrace,7,Arlington,y\n";
    const { id: datasetId } = await rowmill.datasets.upload({ name: "Years", content, filename: "years.csv" });
    const jobSpec = await rowmill.jobSpecs.create({ name: "Fails", processor: { type: "mock", failEvery: 1 } });
    const run = await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } });
    await rowmill.runs.waitFor(run.id);
    const input = "name Ada 2026 12 city London 1 x";
    await page.goto(`${service.url}/runs/${run.id}`);
    await expect.poll(() => page.getByRole("row", { name: /^1 / }).innerText()).toContain(input);
    await page.goto(`${service.url}/runs/${run.id}/failures?code=provider_overloaded`);
    await expect.poll(() => page.getByRole("row", { name: /^1 / }).innerText()).toContain(input);
    const panel = page.getByRole("dialog");
    for (const path of [`/runs/${run.id}?row=0`, `/datasets/${datasetId}?row=0`]) {
      await page.goto(service.url + path);
      await panel.getByRole("term").first().waitFor();
      await expect.poll(() => panel.getByRole("term").allInnerTexts()).toEqual(["name", "2026", "city", "1"]);
    }
  });

  test("are opened by Enter alone where results are resolved: j goes on, and no row is chosen before", async () => {
    await page.goto(`${service.url}/runs/${ids.run}/resolved`);
    await page.getByRole("row", { name: /^1 / }).waitFor();
    expect(await page.getByRole("row", { selected: true }).count()).toBe(0);
    for (const key of ["j", "j"]) await page.keyboard.press(key);
    expect(new URL(page.url()).search).toBe("");
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("heading", { name: /^Row 3 / })
      .waitFor();
  });
});

const firstRowIds = async (): Promise<string[]> =>
  (await rowmill.datasets.rows(ids.dataset, { limit: 2 })).data.map(({ id }) => id);
