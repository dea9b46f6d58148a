/** A job spec that is open in one tab, and saved in another. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let page: Page;
let rowmill: Rowmill;
let address: (id: string) => string;

beforeAll(async () => {
  if (browser === undefined) return;
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  address = (id) => `${service.url}/job-specs/${id}`;
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

const codeOf = (text: string) => ({ type: "transform", code: `export default (row) => ${text}` }) as const;

/** As when somebody goes back to the tab, until the job spec is read: not within two seconds after it was. */
async function comeBack(id: string): Promise<void> {
  let isRead = false;
  const read = page
    .waitForResponse((response) => response.url().endsWith(`/v1/job-specs/${id}`))
    .then(() => (isRead = true));
  await expect
    .poll(async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return isRead;
    })
    .toBe(true);
  await read;
}

describe.skipIf(browser === undefined)("a job spec that is saved elsewhere", () => {
  test("is shown where nothing was written", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await page.getByText("Version 1, saved.").waitFor();
    await rowmill.jobSpecs.update(id, { name: "Tidier" });
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'second'") });
    await comeBack(id);
    await page.getByText("Version 2, saved.").waitFor();
    await page.locator('[data-editor="javascript"]').getByText("'second'").waitFor();
    await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("Tidier");
  });

  test("leaves what was written, and is shown when it is asked for", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    const editor = page.locator('[data-editor="javascript"]');
    await editor.locator("[contenteditable=true]").fill("export default () => 'mine'");
    await page.getByRole("button", { name: "Save as version 2" }).waitFor();
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'theirs'") });
    await comeBack(id);
    await page.getByText("Version 2 was saved elsewhere meanwhile.").waitFor();
    await page.getByRole("button", { name: "Save as version 3" }).waitFor();
    expect(await editor.getByText("'mine'").count()).toBe(1);
    await page.getByRole("button", { name: "Discard mine, and show it" }).click();
    await page.getByText("Version 2, saved.").waitFor();
    await editor.getByText("'theirs'").waitFor();
    expect(await page.getByText("was saved elsewhere").count()).toBe(0);
  });

  test("is not replaced by what this tab has saved itself", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await page.locator('[data-editor="javascript"] [contenteditable=true]').fill("export default () => 'mine'");
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Version 2, saved.").waitFor();
    await comeBack(id);
    expect(await page.getByText(/elsewhere meanwhile/).count()).toBe(0);
    expect(await rowmill.jobSpecs.get(id)).toMatchObject({ name: "Mine", latestVersion: 2 });
  });
});
