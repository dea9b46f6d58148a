/** The main job in a real browser on the real service: own CSV → job spec → test → price → run → failures → retry this cause → flat table. */
import { readFile } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { keysOf, pressTogether } from "./keys.ts";

const browser: Browser | undefined = await findBrowser();
const MARKUP = "<img src=x onerror=\"document.title='broken'\">";
const FORMULA = "=1+1";
const NAMES: Readonly<Record<number, string>> = { 1: `"${MARKUP.replaceAll('"', '""')}"`, 2: FORMULA };
const csv = (rows: number): string =>
  `name,city\n${Array.from({ length: rows }, (_, i) => `${NAMES[i] ?? `Person ${i}`},${i === 1 ? "Köln" : `City ${i}`}`).join("\n")}\n`;

let service: TestService;
beforeAll(async () => {
  if (browser !== undefined) service = await startTestService();
});
afterAll(() => closePages(browser));

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

async function openConsole(viewport = DESK): Promise<Page> {
  if (browser === undefined) throw new Error("there is no browser");
  const { apiKey } = await service.newOrganization();
  const page = await (
    await openContext(browser, { viewport, acceptDownloads: true, hasTouch: viewport === PHONE })
  ).newPage();
  // Where somebody wanted to go is where the sign-in leads.
  await page.goto(`${service.url}/datasets`);
  await page.getByLabel("API key").fill(apiKey);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Datasets", level: 1 }).waitFor();
  return page;
}

async function expectFlatTable(page: Page, rows: number): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Flat CSV" }).click(),
  ]);
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
  expect(lines[0]).toBe(`"name","city","echo","row_state","failure_code"`);
  expect(lines.length).toBe(rows + 1);
  expect(lines.filter((line) => line.includes("succeeded")).length).toBe(rows);
}

/** The same table for a spreadsheet: a cell that looks like a formula is a text there. */
async function expectGuardedTable(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Other files" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Contents").selectOption("One flat table, over all runs up to this one");
  await dialog.getByText("CSV", { exact: true }).click();
  await dialog.getByLabel("Guard spreadsheets against formulas in cells").check();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Write the file" }).click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toContain(`"'${FORMULA}"`);
  expect(text).toContain('"row_state"');
}

/** The page of a run names its retry, too, before the dialog has closed, which keeps the focus until then. */
async function pageOfAnotherRun(page: Page): Promise<void> {
  const run = /run_\w+/.exec(page.url())?.[0] ?? "";
  await page.waitForURL(({ pathname }) => pathname.includes("/runs/run_") && !pathname.includes(run));
}

/** A phone shows all of each screen without being scrolled sideways. */
async function expectToFit(page: Page): Promise<void> {
  const widths = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
  const [content, screen] = widths as [number, number]; // as they are read there
  expect([page.url(), content]).toEqual([page.url(), screen]);
}

describe.skipIf(browser === undefined)("the main job is done", () => {
  test.each([
    ["with the mouse", DESK],
    ["with a finger, on a phone", PHONE],
  ])(
    "%s",
    async (_name, viewport) => {
      const page = await openConsole(viewport);
      const press = async (found: Locator): Promise<void> => {
        await (viewport === PHONE ? found.tap() : found.click());
        await expectToFit(page);
      };
      await page
        .getByLabel("Choose a file")
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv(40)) });
      await page.getByRole("heading", { name: "people", level: 1 }).waitFor();
      // What stands in a cell is text, whatever it looks like.
      await page.getByRole("gridcell", { name: MARKUP }).waitFor();
      await press(page.getByRole("link", { name: "New job spec for it" }));
      // It is named after what it does, until somebody names it.
      await press(page.getByText("Rehearse", { exact: true }));
      await page.getByLabel("Fail every so many rows").fill("8");
      await page.getByLabel("Until retry number").fill("1");
      await press(page.getByRole("button", { name: "Save and test on 5 rows" }));
      await page.getByRole("heading", { name: "All 5 rows succeeded" }).waitFor();
      await press(page.getByRole("link", { name: "Start a run" }));
      await press(page.getByRole("button", { name: "Run 40 rows" }));
      await page.getByText("Some rows failed").first().waitFor();
      // Its ids stand there until the names of what they are have come.
      await expect.poll(() => page.title()).toBe("Rehearse on people · Rowmill");
      await press(page.getByRole("link", { name: /^Failures/ }));
      await press(page.getByRole("button", { name: "Retry this cause" }));
      const isLeft = pageOfAnotherRun(page);
      await press(page.getByRole("dialog").getByRole("button", { name: /^Retry 5 rows/ }));
      await isLeft;
      await page.getByText("Retry of provider overloaded").first().waitFor();
      await page.getByText("Succeeded").first().waitFor();
      await press(page.getByRole("link", { name: "Exports" }));
      await expectFlatTable(page, 40);
      await expectGuardedTable(page);
      await page.context().close();
    },
    600_000,
  );

  test("with the keyboard alone", async () => {
    const page = await openConsole();
    const { press, tabTo } = keysOf(page);
    // The browser is asked first to hand choosers over, and takes a moment for it.
    const chosen = page.waitForEvent("filechooser");
    const [chooser] = await Promise.all([chosen, tabTo(/^Choose a file/).then(() => press("Enter"))]);
    await chooser.setFiles({ name: "keys.csv", mimeType: "text/csv", buffer: Buffer.from(csv(40)) });
    await page.getByRole("heading", { name: "keys", level: 1 }).waitFor();
    await page.getByRole("link", { name: "New job spec for it" }).waitFor();
    await tabTo(/^New job spec for it/);
    await press("Enter");
    await page.getByRole("heading", { name: "New job spec", level: 1 }).waitFor();
    await tabTo(/^Name$/);
    await page.keyboard.type("Rehearse by keys");
    await tabTo(/^Ask a model$/);
    await press("ArrowRight", "ArrowRight", "ArrowRight");
    await tabTo(/^Fail every so many rows/);
    await page.keyboard.type("8");
    await tabTo(/^Until retry number/);
    await page.keyboard.type("1");
    await tabTo(/^Save and test on 5 rows/);
    await press("Enter");
    await page.getByRole("heading", { name: "All 5 rows succeeded" }).waitFor();
    await page.getByRole("link", { name: "Start a run" }).waitFor();
    // The focus has stayed on the button beside it, over all that came of the test.
    await press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Start a run");
    await press("Enter");
    await page.getByRole("button", { name: "Run 40 rows" }).waitFor();
    await tabTo(/^Run 40 rows/);
    await press("Enter");
    await page.getByText("Some rows failed").first().waitFor();
    await tabTo(/^Failures/);
    await press("Enter");
    await page.getByRole("button", { name: "Retry this cause" }).waitFor();
    await tabTo(/^Retry this cause/);
    await press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Retry 5 rows/ })
      .waitFor();
    await tabTo(/^Retry 5 rows/);
    const isLeft = pageOfAnotherRun(page);
    await press("Enter");
    await isLeft;
    await page.getByText("Retry of provider overloaded").first().waitFor();
    await tabTo(/^Exports/);
    await press("Enter");
    await page.getByRole("button", { name: "Flat CSV" }).waitFor();
    await tabTo(/^Flat CSV/);
    await press("Enter");
    await page.getByRole("link", { name: "Download" }).first().waitFor();
    // Everywhere: the sheet of keys, the way to any place.
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard" });
    await sheet.waitFor();
    await press("Escape");
    await sheet.waitFor({ state: "detached" });
    await pressTogether(page, "gd");
    await page.getByRole("heading", { name: "Datasets", level: 1 }).waitFor();
    await press("Control+k");
    await page.keyboard.type("Job specs");
    await press("Enter");
    await page.getByRole("heading", { name: "Job specs", level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe("Job specs · Rowmill");
    await page.context().close();
  }, 600_000);
});

/** The largest that a row may be is 8 MiB. */
const LARGE_CHARACTERS = 5_000_000;

test.skipIf(browser === undefined)(
  "a value of 5 MB, markup and turned text do no harm, and are copied whole",
  async () => {
    if (browser === undefined) return;
    const own = await service.newOrganization();
    const text = `${MARKUP}invoice\u202Efdp.exe${"long \u2066".repeat(LARGE_CHARACTERS / 6)}end`;
    const dataset = await newDataset(own.api, [{ text }, { text: "short" }], "Large");
    const jobSpec = await newJobSpec(own.api, { type: "mock" });
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
    await finishedRun(own.api, run.id);
    const context = await openContext(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const data = { by: "api_key", apiKey: own.apiKey };
    await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
    const page = await context.newPage();
    for (const path of [`/datasets/${dataset.id}?row=0`, `/runs/${run.id}?row=0`]) {
      await page.goto(service.url + path);
      const dialog = page.getByRole("dialog");
      await dialog.getByText("The copy is whole.").first().waitFor();
      // Little of it is drawn, and nothing of it turns the direction of what stands beside it.
      const drawn = await page.locator("body").innerText();
      expect(drawn.length).toBeLessThan(LARGE_CHARACTERS / 20);
      expect(drawn).toContain("invoice⟨U+202E⟩fdp.exe");
      expect(drawn).not.toMatch(/[\u202e\u2066]/);
      await dialog.getByRole("button", { name: "Copy text", exact: true }).click();
      await expect
        .poll(() => page.evaluate("navigator.clipboard.readText().then((copied) => copied.length)"))
        .toBe(text.length);
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
      // The page still follows the keyboard.
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await context.close();
  },
);
