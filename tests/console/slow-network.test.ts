/** What a click shows while the response to it is on its way: the responses of these tests come when the test lets them. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { rememberToasts, untilSaid } from "./toasts.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let context: BrowserContext;
let page: Page;
let rowmill: Rowmill;
const ids: Record<"dataset" | "run", string> = { dataset: "", run: "" };

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const organization = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: organization.apiKey });
  ids.dataset = (await rowmill.datasets.upload({ name: "Ten", content: "a\n1\n2\n", filename: "ten.csv" })).id;
  const { id: jobSpecId } = await rowmill.jobSpecs.create({ name: "Rehearsal", processor: { type: "mock" } });
  ids.run = (await rowmill.runs.create({ datasetId: ids.dataset, jobSpecId, scope: { type: "all" } })).id;
  await rowmill.runs.waitFor(ids.run);
  context = await openContext(browser);
  await rememberToasts(context);
  const data = { by: "api_key", apiKey: organization.apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  page = await context.newPage();
});
afterEach(() => context.unrouteAll({ behavior: "ignoreErrors" }));
afterAll(() => closePages(browser));

/** Holds requests back until the function that it returns is called. */
async function hold(url: string | RegExp, method?: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await context.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await promise;
    await route.continue();
  });
  return resolve;
}
const status = (text: string) => page.getByRole("status").filter({ hasText: text });
const datasetsLink = () => page.getByRole("link", { name: "Datasets", exact: true });

describe.skipIf(browser === undefined)("on a slow network", () => {
  test("the navigation stays while a screen is read, and the title of a run is no id", async () => {
    await page.goto(`${service.url}/runs`);
    await page.getByRole("link", { name: "Rehearsal on Ten" }).waitFor();
    const readRun = await hold(new RegExp(`/v1/runs/${ids.run}$`));
    await page.getByRole("link", { name: "Rehearsal on Ten" }).click();
    await status("Loading…").waitFor();
    expect(await datasetsLink().isVisible()).toBe(true);
    readRun();
    await page.getByRole("heading", { name: "Rehearsal on Ten" }).waitFor();
    // After a reload nothing is known of the names.
    const readNames = await hold(/\/v1\/job-specs\?/);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Run", exact: true }).waitFor();
    expect(await page.getByText("spec_…").count()).toBe(0);
    await expect.poll(() => page.title()).toBe("Run · Rowmill");
    readNames();
    await page.getByRole("heading", { name: "Rehearsal on Ten" }).waitFor();
    await expect.poll(() => page.title()).toBe("Rehearsal on Ten · Rowmill");
  });

  test("the navigation stays while the code of a screen is fetched", async () => {
    await page.goto(`${service.url}/runs`);
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    const fetchCode = await hold(/\/assets\/alerts-/);
    await page.getByRole("link", { name: "Alerts", exact: true }).click();
    await status("Loading…").waitFor();
    expect(await datasetsLink().isVisible()).toBe(true);
    fetchCode();
    await page.getByRole("heading", { name: "Alerts" }).waitFor();
  });

  test("a list shows that it is read with another filter", async () => {
    await page.goto(`${service.url}/runs`);
    await page.getByRole("link", { name: "Rehearsal on Ten" }).waitFor();
    const read = await hold(/\/v1\/runs\?.*state=paused/);
    await page.getByRole("combobox").first().selectOption({ label: "Paused" });
    await status("Loading…").waitFor();
    read();
    await status("Loading…").waitFor({ state: "detached" });
    expect(await page.getByRole("link", { name: "Rehearsal on Ten" }).count()).toBe(0);
    await page.getByText("No run matches.").waitFor();
    // That the list before was empty says nothing about the next one.
    const readNext = await hold(/\/v1\/runs\?.*state=succeeded/);
    await page.getByRole("combobox").first().selectOption({ label: "Succeeded" });
    await status("Loading…").waitFor();
    expect(await page.getByText("No run matches.").count()).toBe(0);
    readNext();
    await page.getByRole("link", { name: "Rehearsal on Ten" }).waitFor();
  });

  test("a key that is pressed twice sends one test", async () => {
    const rule = await rowmill.webhookEndpoints.create({ url: "https://example.com/", eventTypes: ["run.succeeded"] });
    await page.goto(`${service.url}/webhooks/${rule.id}`);
    await page.getByRole("button", { name: "Send a test" }).waitFor();
    let sent = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const error = { code: "invalid_state", message: "Not now.", requestId: "req_1", details: [] };
    await context.route(/\/v1\/webhook-endpoints\/[^/]*\/test$/, async (route) => {
      sent++;
      await promise;
      await route.fulfill({ status: 409, json: { error } });
    });
    await page.keyboard.press("t");
    await page.locator("button[aria-disabled=true]", { hasText: "Send a test" }).waitFor();
    await page.keyboard.press("t");
    resolve();
    await page.getByText("Not now.").first().waitFor();
    expect(sent).toBe(1);
  });

  test("a failed test is shown also where a process of the version before responds, without what the receiver responded", async () => {
    const endpoint = await rowmill.webhookEndpoints.create({
      url: "https://example.com/",
      eventTypes: ["run.succeeded"],
    });
    await page.goto(`${service.url}/webhooks/${endpoint.id}`);
    const attempt = {
      number: 1,
      startedAt: new Date().toISOString(),
      durationMs: 1_500,
      outcome: "http_error",
      responseStatus: 500,
    };
    const delivery = { id: "whd_1", status: "failed", attempts: [attempt] };
    await context.route(/\/v1\/webhook-endpoints\/[^/]*\/test$/, (route) => route.fulfill({ json: delivery }));
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("link", { name: "What was sent" }).waitFor();
    await page.getByText("After 1.5 s.", { exact: true }).waitFor();
    expect(await page.getByText("undefined").count()).toBe(0);
  });

  test("what a menu begins is shown, and is not begun twice", async () => {
    const rule = await rowmill.webhookEndpoints.create({ url: "https://example.com/", eventTypes: ["run.succeeded"] });
    await page.goto(`${service.url}/webhooks/${rule.id}`);
    await rowmill.webhookEndpoints.update(rule.id, { enabled: false });
    await page.reload();
    let sent = 0;
    page.on("request", (request) => (sent += request.method() === "PATCH" ? 1 : 0));
    const change = await hold(/\/v1\/webhook-endpoints\//, "PATCH");
    for (let times = 0; times < 2; times++) {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Enable" }).click();
      await status("Working…").waitFor();
    }
    change();
    await status("Working…").waitFor({ state: "detached" });
    // A second one would be sent by now.
    expect(sent).toBe(1);
    await expect.poll(async () => (await rowmill.webhookEndpoints.get(rule.id)).enabled).toBe(true);
  });

  test("a run stays while the code of one of its parts is fetched", async () => {
    await page.goto(`${service.url}/runs/${ids.run}`);
    const heading = page.getByRole("heading", { level: 1, name: "Rehearsal on Ten" });
    await heading.waitFor();
    const fetchCode = await hold(/\/assets\/lineage-/);
    await page.getByRole("link", { name: "Lineage", exact: true }).click();
    await status("Loading…").waitFor();
    expect(await heading.isVisible()).toBe(true);
    expect(await page.getByRole("link", { name: "Exports", exact: true }).isVisible()).toBe(true);
    fetchCode();
    await status("Loading…").waitFor({ state: "detached" });
  });

  test("only the file that was asked for is shown as under way, and one that may be lost is named in its place", async () => {
    await page.goto(`${service.url}/runs/${ids.run}/exports`);
    const csv = page.getByRole("button", { name: "Flat CSV" });
    const parquet = page.getByRole("button", { name: "Flat Parquet" });
    const ask = await hold(/\/v1\/runs\/[^/]*\/exports$/, "POST");
    await parquet.click();
    await parquet.locator(".animate-spin").waitFor();
    expect(await csv.locator(".animate-spin").count()).toBe(0);
    ask();
    await parquet.locator(".animate-spin").waitFor({ state: "detached" });
    await context.route(/\/v1\/runs\/[^/]*\/exports$/, (route) =>
      route.request().method() === "POST" ? route.abort("connectionreset") : route.continue(),
    );
    await csv.click();
    await page.getByRole("alert").filter({ hasText: "it may have done this, or not" }).waitFor();
  });

  test("what appears is announced: its region is there before", async () => {
    await page.goto(`${service.url}/webhooks`);
    await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
    await page.evaluate(`{
      window.regions = [...document.querySelectorAll("[role=status]")];
    }`);
    await context.route(/\/v1\//, (route) => route.abort("connectionreset"));
    await datasetsLink().click();
    await status("The service cannot be reached.").waitFor();
    const isOld = `window.regions.some((region) => region.isConnected && region.textContent.includes("cannot be reached"))`;
    // A list may announce it, too, and before the frame does.
    await expect.poll(() => page.evaluate(isOld)).toBe(true);
  });

  test("a sign-out that fails is reported, and one that takes long is shown", async () => {
    await page.goto(`${service.url}/settings`);
    const signOut = page.getByRole("button", { name: "Sign out" });
    await context.route(/\/v1\/session$/, (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await signOut.click();
    await untilSaid(page, "You are still signed in.");
    await context.unrouteAll({ behavior: "ignoreErrors" });
    const leave = await hold(/\/v1\/session$/, "DELETE");
    await signOut.click();
    await status("Working…").waitFor();
    expect(await signOut.getAttribute("aria-disabled")).toBe("true");
    leave();
    await page.waitForURL(/\/sign-in/);
  });
});
