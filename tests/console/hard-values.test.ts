/** Values that screens easily get wrong: numbers of many digits, names of many letters, rows of high numbers. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
/** More digits than a double has; the last one more than any double. */
const EXACT = ["12345678901234567890", "0.1234567890123456789", "1e400"];
/** As long as a name may be, without a place to break it. */
const LONG = "W".repeat(200);
let service: TestService;
let page: Page;
let ids: { dataset: string; jobSpec: string; run: string };

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const content = EXACT.map((number) => `{"number":${number}}`).join("\n");
  const dataset = await rowmill.datasets.upload({ name: "Numbers", content, filename: "numbers.jsonl" });
  const jobSpec = await rowmill.jobSpecs.create({ name: LONG, processor: { type: "mock" } });
  const body = { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } } as const;
  const run = await rowmill.runs.create({ ...body, name: LONG });
  await rowmill.runs.waitFor(run.id);
  ids = { dataset: dataset.id, jobSpec: jobSpec.id, run: run.id };
  const context = await openContext(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

describe.skipIf(browser === undefined)("a screen", () => {
  test("shows, copies and sends numbers with every digit that the row has", async () => {
    await page.goto(`${service.url}/datasets/${ids.dataset}`);
    for (const number of EXACT) await page.getByRole("gridcell", { name: number, exact: true }).waitFor();
    await page.goto(`${service.url}/datasets/${ids.dataset}?row=0`);
    const panel = page.getByRole("dialog");
    await panel.getByText(EXACT[0] ?? "", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Copy number" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(EXACT[0]);
    await panel.getByRole("button", { name: "Copy the whole row as JSON" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(`{\n  "number": ${EXACT[0]}\n}`);
    await page.goto(`${service.url}/runs/${ids.run}`);
    for (const number of EXACT.slice(0, 2))
      await page.getByRole("row", { name: `Succeeded number ${number} echo {"number":${number}}` }).waitFor();
    await page.goto(`${service.url}/job-specs/${ids.jobSpec}?datasetId=${ids.dataset}`);
    const sent = page.waitForRequest((request) => request.url().endsWith("/test"));
    await page.getByRole("button", { name: "Test on 5 rows" }).click();
    expect((await sent).postData()).toContain(EXACT.map((number) => `{"number":${number}}`).join());
  });

  test("has room for all columns beside a long name, and for the actions", async () => {
    await page.goto(`${service.url}/runs`);
    await page.getByRole("link", { name: LONG }).waitFor();
    const created = await page.getByRole("columnheader", { name: "Created" }).boundingBox();
    expect((created?.x ?? Infinity) + (created?.width ?? 0)).toBeLessThan(1280);
    await page.goto(`${service.url}/job-specs/${ids.jobSpec}`);
    await page.getByRole("heading", { name: LONG, level: 1 }).waitFor();
    const more = await page.getByRole("button", { name: "More actions" }).boundingBox();
    expect(more?.width).toBe(more?.height);
  });

  test("shows all columns of a run's rows on a tablet, and filters by any state in words", async () => {
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.goto(`${service.url}/runs/${ids.run}`);
    await page.getByRole("row", { name: /^1 Succeeded/ }).waitFor();
    const time = await page.getByRole("columnheader", { name: "Time" }).boundingBox();
    expect((time?.x ?? Infinity) + (time?.width ?? 0)).toBeLessThan(1024);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${service.url}/runs?state=partially_succeeded`);
    const state = page.getByRole("combobox", { name: "State" });
    await state.waitFor();
    expect(await state.getByRole("option", { selected: true }).innerText()).toBe("Some rows failed");
  });

  test("shows the number of a row whole", async () => {
    await page.route(/\/rows\?/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(/"index":\d/g, '"index":99999999') });
    });
    await page.goto(`${service.url}/datasets/${ids.dataset}`);
    const cell = page.getByRole("gridcell", { name: "100,000,000", exact: true }).first();
    await cell.waitFor();
    const isWhole =
      "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('[role=gridcell]'))";
    expect(await page.evaluate(isWhole)).toBe(true);
    // A list that is read meanwhile is still to be responded to.
    await page.unrouteAll({ behavior: "wait" });
  });

  test("states that there is no such row, and keeps the focus at the last one", async () => {
    const panel = page.getByRole("dialog");
    await page.goto(`${service.url}/datasets/${ids.dataset}?row=99`);
    await panel.getByText("The dataset ends with row 3.").waitFor();
    await page.goto(`${service.url}/runs/${ids.run}?row=99`);
    await panel.getByText("This run does not have row 100.").waitFor();
    for (const path of [`/datasets/${ids.dataset}?row=1`, `/runs/${ids.run}?row=1`]) {
      await page.goto(service.url + path);
      const next = panel.getByRole("button", { name: "Next row" });
      await next.press("Enter");
      await panel.getByRole("heading", { name: "Row 3" }).waitFor();
      await expect.poll(() => next.getAttribute("aria-disabled")).toBe("true");
      await page.keyboard.press("Enter");
      await page.keyboard.press("k");
      await panel.getByRole("heading", { name: "Row 2" }).waitFor();
    }
  });

  test("shows why a row cannot be shown", async () => {
    const isRows = (url: URL): boolean => url.pathname.endsWith("/rows") && url.searchParams.get("limit") === "1";
    const error = { code: "not_found", message: "There is no `row` here.", details: [] };
    await page.route(isRows, (route) => route.fulfill({ status: 404, body: JSON.stringify({ error }) }));
    for (const path of [`/datasets/${ids.dataset}?row=1`, `/runs/${ids.run}?row=1`]) {
      await page.goto(service.url + path);
      const alert = page.getByRole("dialog").getByRole("alert");
      await alert.getByText("There is no row here.").waitFor();
      await expect.poll(() => alert.count()).toBe(1);
    }
    await page.unroute(isRows);
  });
});
