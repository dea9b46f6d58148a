/** Leaving what is written: it is asked for once, and before anything is lost. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let own: TestOrganization;
let rowmill: Rowmill;
let context: BrowserContext;
let page: Page;
/** Questions of the browser itself, as the page was left. */
let asked = 0;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
  context = await openContext(browser);
  page = await context.newPage();
  page.on("dialog", (dialog) => {
    asked++;
    void dialog.accept();
  });
});
afterEach(() => context?.unrouteAll({ behavior: "ignoreErrors" }));
afterAll(() => closePages(browser));

const signIn = (apiKey: string) =>
  context.request.put(`${service.url}/v1/session`, {
    data: { by: "api_key", apiKey },
    headers: { origin: service.url },
  });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();

/** With a name that is not saved. */
async function writeJobSpec(): Promise<void> {
  asked = 0;
  await page.goto(`${service.url}/job-specs/new`);
  await page.getByText("Run a function").click();
  await page.getByLabel("Name", { exact: true }).fill("Written here");
}

describe.skipIf(browser === undefined)("leaving what is written", () => {
  test("by a sign-out is asked for before the session ends, once", async () => {
    await signIn(own.apiKey);
    await writeJobSpec();
    const signOut = async (): Promise<void> => {
      await button("Help and account").click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
    };
    await signOut();
    const question = page.getByRole("dialog", { name: "Sign out without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "detached" });
    expect((await context.request.get(`${service.url}/v1/session`)).status()).toBe(200);
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Written here");
    await signOut();
    await question.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${service.url}/sign-in`);
    expect(asked).toBe(0);
    expect((await context.request.get(`${service.url}/v1/session`)).status()).toBe(401);
  });

  test("after the session has ended is not asked for where the cover has announced it", async () => {
    await signIn(own.apiKey);
    await writeJobSpec();
    await context.request.delete(`${service.url}/v1/session`, { headers: { origin: service.url } });
    const cover = page.getByRole("dialog", { name: "Sign in to go on" });
    await cover.waitFor();
    const other = await service.newOrganization();
    await cover.getByLabel("API key").fill(other.apiKey);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${service.url}/`);
    expect(asked).toBe(0);
  });

  test("is asked for where nothing but a connection was chosen", async () => {
    await signIn(own.apiKey);
    const connection = { type: "openai_compatible", name: "House", baseUrl: "https://models.example.com/v1" } as const;
    await rowmill.connections.create(connection);
    await page.route(/\/v1\/connections\/[^/]*\/test$/, (route) =>
      route.fulfill({ json: { ok: true, message: "It responds.", durationMs: 1, models: [] } }),
    );
    await page.goto(`${service.url}/job-specs/new`);
    await page.getByLabel("Connection", { exact: true }).selectOption("House");
    await follow("Runs");
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await page.getByLabel("Connection", { exact: true }).selectOption("");
    await follow("Runs");
    await page.waitForURL(/\/runs$/);
    expect(await question.count()).toBe(0);
  });

  test("says what of it is saved", async () => {
    const processor = { type: "mock" } as const;
    const { id } = await rowmill.jobSpecs.create({ name: "Rehearsal", processor });
    await signIn(own.apiKey);
    await page.goto(`${service.url}/job-specs/${id}`);
    const state = page.getByRole("status").filter({ hasText: "Version 1" });
    await state.getByText("Version 1, saved.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await state.getByText("Version 1 is saved, its new name is not.").waitFor();
    await button("Save the name").click();
    await state.getByText("Version 1, saved.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).name).toBe("Renamed");
  });
});
