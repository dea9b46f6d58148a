/** A dataset of more rows than a scroll bar has pixels for: each of them can be reached, and seen beside its neighbors. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
/** A pixel of the bar is more than two of them. */
const ROWS = 600_000;
let page: Page;
let address: string;

beforeAll(async () => {
  if (browser === undefined) return;
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const content = `n\n${Array.from({ length: ROWS }, (_, n) => n).join("\n")}\n`;
  const { id } = await rowmill.datasets.upload({ name: "Many", content, filename: "many.csv" });
  address = `${service.url}/datasets/${id}`;
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

/** The numbers of the rows that are whole in sight. */
const inSight = (): Promise<number[]> =>
  page.evaluate(`(() => {
    const grid = document.querySelector("[role=grid]");
    const { bottom, top } = grid.getBoundingClientRect();
    const head = grid.querySelector("[role=columnheader]").getBoundingClientRect().height;
    return [...grid.querySelectorAll("[role=row]:has([role=gridcell])")]
      .filter((row) => row.getBoundingClientRect().top >= top + head - 1 && row.getBoundingClientRect().bottom <= bottom + 1)
      .map((row) => Number(row.ariaRowIndex) - 1);
  })()`);
const firstInSight = async (): Promise<number | undefined> => (await inSight())[0];
const activeRow = (): Promise<number> =>
  page.evaluate(`Number(document.querySelector("[role=grid]").getAttribute("aria-activedescendant").slice(4)) + 1`);

async function open(from: number): Promise<void> {
  await page.goto(`${address}?from=${from - 1}`);
  await page.getByRole("row", { name: new RegExp(`^${from.toLocaleString("en")} `) }).waitFor();
}

describe.skipIf(browser === undefined)("rows beyond the pixels of a scroll bar", () => {
  test("an address leads to its row, which stands above", async () => {
    for (const from of [2, 1_000, 300_001, 412_345]) {
      await open(from);
      await expect.poll(firstInSight).toBe(from);
    }
    await open(ROWS);
    await expect.poll(async () => (await inSight()).at(-1)).toBe(ROWS);
  });

  test("keys show the row that they lead to", async () => {
    await open(300_001);
    await page.getByRole("grid").focus();
    for (const key of ["PageDown", "PageDown", "PageDown", "j", "k", "PageUp", "ArrowUp"]) {
      await page.keyboard.press(key);
      await expect.poll(inSight).toContain(await activeRow());
    }
    await page.keyboard.press("End");
    await expect.poll(inSight).toContain(ROWS);
    await page.keyboard.press("Home");
    await expect.poll(inSight).toContain(1);
  });

  test("a wheel passes no row unseen, also where the bar has rested, and at both ends", async () => {
    await open(300_001);
    await page.getByRole("grid").hover();
    let before = 300_001;
    for (let times = 0; times < 4; times++) {
      await page.mouse.wheel(0, 340);
      await expect.poll(firstInSight).toBe(before + 10);
      before += 10;
      // The bar takes its place when it rests.
      if (times === 1) await page.evaluate("new Promise((done) => setTimeout(done, 400))");
      expect(await firstInSight()).toBe(before);
    }
    await open(ROWS - 60);
    await page.getByRole("grid").hover();
    await page.mouse.wheel(0, 3400);
    await expect.poll(async () => (await inSight()).at(-1)).toBe(ROWS);
    await open(41);
    await page.getByRole("grid").hover();
    await page.mouse.wheel(0, -3400);
    await expect.poll(firstInSight).toBe(1);
  });

  test("the bar leads to the row that has its place", async () => {
    await open(1);
    const drag = (part: number): Promise<unknown> =>
      page.evaluate(`{
        const grid = document.querySelector("[role=grid]");
        grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${part};
      }`);
    await drag(0.5);
    await expect.poll(async () => Math.abs(((await firstInSight()) ?? 0) - ROWS / 2)).toBeLessThan(20);
    await drag(1);
    await expect.poll(async () => (await inSight()).at(-1)).toBe(ROWS);
    await drag(0);
    await expect.poll(firstInSight).toBe(1);
  });
});
