/** The failures of a run by their cause, also where there are hundreds of them. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let page: Page;
let rowmill: Rowmill;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { apiKey } = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

describe.skipIf(browser === undefined)("the failures of a run", () => {
  test("are one card for all causes of a code, whose buttons and rows are of the code", async () => {
    const content = "a,b\n1,x\nx,1\nx,2\n3,4\n";
    const { id: datasetId } = await rowmill.datasets.upload({ name: "Mixed", content, filename: "mixed.csv" });
    const inputSchema = { type: "object", properties: { a: { pattern: "^[0-9]$" }, b: { pattern: "^[0-9]$" } } };
    const jobSpec = await rowmill.jobSpecs.create({ name: "Checks", processor: { type: "mock" }, inputSchema });
    const run = await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } });
    await rowmill.runs.waitFor(run.id);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${service.url}/runs/${run.id}/failures`);
    const code = page.getByRole("article");
    await code.getByText("3 rows", { exact: true }).waitFor();
    expect(await code.count()).toBe(1);
    const causes = code.getByRole("listitem");
    expect(await causes.count()).toBe(2);
    await causes.first().getByText("2 rows", { exact: true }).waitFor();
    await code.getByRole("button", { name: "Show all with this code" }).click();
    // Once, not for each of its causes.
    await page.getByRole("grid").waitFor();
    expect(await page.getByRole("grid").count()).toBe(1);
    await causes.first().getByRole("button", { name: "Copy as Markdown" }).click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toContain(`- All rows with this code: <${service.url}/runs/${run.id}/failures?code=input_schema_invalid>`);
    await code.getByRole("button", { name: "Retry all with this code" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Retry 3 rows/ })
      .waitFor();
  });

  test("have the largest of many causes first, all of them on demand, and a row of each with the whole message", async () => {
    const places = Array.from(
      { length: 130 },
      (_, n) => `() => { throw new Error("place ${n} ${"x".repeat(900)}"); },`,
    );
    const code = `const places = [\n${places.join("\n")}\n];\nexport default (row) => places[Math.min(row.n, 129)]();`;
    const rows = Array.from({ length: 140 }, (_, n) => ({ n }));
    const content = rows.map((row) => JSON.stringify(row)).join("\n");
    const { id: datasetId } = await rowmill.datasets.upload({ name: "Places", content, filename: "places.jsonl" });
    const jobSpec = await rowmill.jobSpecs.create({ name: "Throws", processor: { type: "transform", code } });
    const run = await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } });
    await rowmill.runs.waitFor(run.id);
    await page.goto(`${service.url}/runs/${run.id}/failures`);
    const causes = page.getByRole("article").getByRole("listitem");
    await causes.first().getByText("11 rows", { exact: true }).waitFor();
    expect(await causes.count()).toBe(8);
    await page.getByText("or more").first().waitFor();
    await page.getByRole("button", { name: "Show all 100 causes" }).click();
    await page.getByRole("button", { name: "Show more causes" }).click();
    await expect.poll(() => causes.count()).toBe(130);
    expect(await page.getByText("or more").count()).toBe(0);
    // The one of its eleven rows that was written first.
    await causes
      .first()
      .getByRole("link", { name: /^row 1(3\d|40)$/ })
      .click();
    await page
      .getByRole("dialog")
      .getByText(`place 129 ${"x".repeat(900)}`)
      .waitFor();
  });
});
