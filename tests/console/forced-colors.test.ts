/** Where the system replaces the colors of all pages: what only a color shows must still be seen. */
import type { Browser } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
afterAll(() => closePages(browser));

describe.skipIf(browser === undefined)("colors of the system", () => {
  test("leave the bar of a run, the open part and what is chosen to be seen", async () => {
    if (browser === undefined) throw new Error("there is no browser");
    const service = await startTestService();
    const { api, apiKey } = await service.newOrganization();
    const dataset = await newDataset(api, numberedRows(4), "Numbers");
    const spec = await newJobSpec(api, { type: "mock" });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    const context = await openContext(browser, { forcedColors: "active" });
    const data = { by: "api_key", apiKey };
    await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
    const page = await context.newPage();
    const colorOf = async (selector: string): Promise<unknown> => {
      await page.locator(selector).first().waitFor();
      return page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`);
    };
    await page.goto(`${service.url}/runs/${run.id}`);
    await page.getByText("4 of 4 rows done").waitFor();
    const ground = await colorOf("body");
    expect(await colorOf(".bg-bar-good")).not.toBe(ground);
    expect(await colorOf("nav a[aria-current=page]")).not.toBe(ground);
    await page.goto(`${service.url}/job-specs/new`);
    expect(await colorOf("fieldset label:has(:checked)")).not.toBe(ground);
  });
});
