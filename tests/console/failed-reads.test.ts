/** What screens show while the service is slow, and where it responds with an error: what is read, and a way to read it again. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
/** In the page: a stream that never stands. One that begins to stand has everything read again, and not because somebody has pressed a button. */
const WITHOUT_EVENTS = `globalThis.SharedWorker = class extends EventTarget {
  port = new MessageChannel().port1;
}`;
let service: TestService;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { api, apiKey } = await service.newOrganization();
  await newDataset(api, numberedRows(4), "Four");
  context = await openContext(browser);
  await context.addInitScript(WITHOUT_EVENTS);
  const data = { by: "api_key", apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  page = await context.newPage();
});
afterEach(() => context.unrouteAll({ behavior: "ignoreErrors" }));
afterAll(() => closePages(browser));

/** Responds with this error to what the screen reads. */
async function refuse(path: RegExp, status: number): Promise<void> {
  await context.route(path, (route) => {
    const error = { code: "internal_error", message: "It is broken.", requestId: "req_1", details: [] };
    return route.fulfill({ status, headers: { "retry-after": "0" }, json: { error } });
  });
}

describe.skipIf(browser === undefined)("a screen whose reads fail", () => {
  test.each([
    { status: 500, path: "/datasets", read: /\/v1\/datasets$/, shown: "Four" },
    { status: 503, path: "/usage", read: /\/v1\/usage\?/, shown: "Nothing was used in these days." },
    { status: 429, path: "/settings", read: /\/v1\/organizations\/[^/?]*$/, shown: "Active API keys" },
  ])("shows a response of $status at $path, and reads it again on demand", async ({ status, path, read, shown }) => {
    await refuse(read, status);
    await page.goto(service.url + path);
    await page.getByRole("alert").filter({ hasText: "It is broken." }).waitFor();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(shown).first().waitFor();
    await expect.poll(() => page.getByText("It is broken.").count()).toBe(0);
  });

  test("counts no members that it could not read", async () => {
    await refuse(/\/v1\/organizations\/[^/]*\/members/, 500);
    await page.goto(`${service.url}/members`);
    await page.getByRole("alert").filter({ hasText: "It is broken." }).waitFor();
    expect(await page.getByRole("link", { name: /^Members/ }).allInnerTexts()).toEqual(["Members and keys", "Members"]);
  });

  test("offers no empty choice for a run while the choice is read, and shows why there is none", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await context.route(/\/v1\/datasets\?/, async (route) => {
      await promise;
      await route.fallback();
    });
    await page.goto(`${service.url}/runs/new`);
    const dataset = page.getByLabel("Dataset", { exact: true });
    await dataset.getByText("Loading…").waitFor({ state: "attached" });
    await refuse(/\/v1\/datasets\?/, 500);
    resolve();
    await page.reload();
    await page.getByRole("alert").filter({ hasText: "It is broken." }).waitFor();
    await context.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Try again" }).click();
    await dataset.getByText("Four").waitFor({ state: "attached" });
    await expect.poll(() => page.getByText("It is broken.").count()).toBe(0);
  });
});
