/**
 * What a team does around its work, each thing once: connections, webhooks, alerts, members and keys, settings, usage, the audit; and
 * what the operator does with organizations. One service, one browser, one page after the other.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { startModel } from "./house-model.ts";
import { rememberToasts, untilSaid } from "./toasts.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let model: Awaited<ReturnType<typeof startModel>>;
let own: TestOrganization;
let rowmill: Rowmill;

beforeAll(async () => {
  if (browser === undefined) return;
  model = await startModel();
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    // Receivers of webhooks on this machine.
    ROWMILL_MODE: "development",
  });
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
});
afterAll(async () => {
  await closePages(browser);
  model?.server.close();
});

async function openPage(apiKey: string, path: string): Promise<Page> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  await rememberToasts(context);
  const data = { by: "api_key", apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  const page = await context.newPage();
  await visit(page, path);
  return page;
}
/** Keys work from the moment at which the screen has its head. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(service.url + path);
  await page.locator("h1").waitFor();
}
const press = (page: Page, name: string | RegExp): Promise<void> =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
const choose = async (page: Page, item: string): Promise<void> => {
  await press(page, "More actions");
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

describe.skipIf(browser === undefined)("in the browser", () => {
  test("a connection is made, tested, and gets another secret", async () => {
    const page = await openPage(own.apiKey, "/connections");
    await press(page, "New connection");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("House model");
    await dialog.getByLabel("Address").fill(`${model.origin}/denied/v1`);
    await dialog.getByLabel("Secret").fill("first-secret-1111");
    await dialog.getByLabel("Requests a minute").fill("600");
    await dialog.getByRole("button", { name: "Save and test" }).click();
    // What failed its test is corrected where it stands, and remains one connection.
    await dialog.getByText(/^Saved, but the test did not succeed/).waitFor();
    await dialog.getByLabel("Address").fill(`${model.origin}/v1`);
    await dialog.getByRole("button", { name: "Save and test again" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("600 requests a minute").waitFor();
    await press(page, "Test");
    await page.getByText("house-large, house-small").waitFor();
    await press(page, "Change");
    await dialog.getByLabel("Secret").fill("second-secret-2222");
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText(/2222$/).waitFor();
    expect((await rowmill.connections.list()).data).toMatchObject([
      { name: "House model", rateLimit: { requestsPerMinute: 600 } },
    ]);
    await page.context().close();
  });

  test("a run whose key is refused gets another one where it stands, and goes on", async () => {
    const connection = await rowmill.connections.create({
      type: "openai_compatible",
      name: "Old key",
      baseUrl: `${model.origin}/denied/v1`,
      secret: "revoked-secret-3333",
    });
    const dataset = await newDataset(own.api, numberedRows(200), "Two hundred");
    const jobSpec = await newJobSpec(own.api, {
      type: "llm",
      connection: connection.id,
      model: "house-small",
      messages: [{ role: "user", content: "Review {{row.n}}" }],
    });
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, concurrency: 10 });
    await expect
      .poll(async () => (await rowmill.runs.get(run.id, { waitSeconds: 5 })).stateReason)
      .toBe("breaker_open");
    const page = await openPage(own.apiKey, `/runs/${run.id}`);
    // Another secret cures nothing where the cause is another one.
    const groups = /\/failure-groups\?/;
    const body = { data: [{ code: "model_not_found", class: "configuration", count: 20 }], nextCursor: null };
    await page.route(groups, (route) => route.fulfill({ json: body }));
    const read = page.waitForResponse(groups);
    await page.reload();
    await read;
    await page.getByRole("link", { name: "Open the job spec" }).waitFor();
    expect(await page.getByRole("button", { name: "Replace the secret" }).count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
    await page.reload();
    await press(page, "Replace the secret");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Secret").fill("good-secret-4444");
    await dialog.getByLabel("Address").fill(`${model.origin}/v1`);
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await dialog.waitFor({ state: "detached" });
    await press(page, "Resume");
    await expect
      .poll(async () => (await rowmill.runs.get(run.id, { waitSeconds: 5 })).rows.succeeded)
      .toBeGreaterThan(0);
    await page.context().close();
  });

  test("an endpoint is made, tested, replayed to, and gets another secret", async () => {
    // Runs of other tests may end now, which endpoints of their organization get.
    const { api, apiKey } = await service.newOrganization();
    const receiving = new Rowmill({ baseUrl: service.url, apiKey });
    const page = await openPage(apiKey, "/webhooks");
    await press(page, "New endpoint");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill(`${model.origin}/hooks/warehouse`);
    await dialog.getByLabel("Description").fill("Warehouse");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
    const [endpoint] = (await receiving.webhookEndpoints.list()).data;
    if (endpoint === undefined) throw new Error("there is no endpoint");
    await visit(page, `/webhooks/${endpoint.id}`);
    await page.keyboard.press("t");
    await page.getByRole("link", { name: "What was sent" }).click();
    await page.getByText("Response body").waitFor();
    const sent = page.url();
    await press(page, "Send again");
    // The panel goes on to the delivery that was made.
    await page.waitForURL((url) => url.href !== sent);
    // One that is closed before the response stays closed.
    const release = Promise.withResolvers<void>();
    await page.route(/\/redeliver$/, async (route) => {
      await release.promise;
      await route.continue();
    });
    const response = page.waitForResponse(/\/redeliver$/);
    await press(page, "Send again");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    release.resolve();
    await (await response).finished();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
    expect(await dialog.count()).toBe(0);
    await choose(page, "Rotate the secret");
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await page.getByText(/^whsec_/).waitFor();
    await press(page, "I have stored it");

    const dataset = await newDataset(api, numberedRows(4), "Numbers");
    const jobSpec = await newJobSpec(api, { type: "mock" });
    await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id })).id);
    const delivered = async (): Promise<number> =>
      (await receiving.webhookDeliveries.list({ webhookEndpointId: endpoint.id, status: ["succeeded"] })).data.length;
    await expect.poll(delivered).toBeGreaterThan(2);
    await choose(page, "Replay events");
    await dialog.getByText("All", { exact: true }).click();
    await dialog.getByRole("button", { name: /^Replay \d/ }).click();
    await untilSaid(page, /deliver(y|ies) queued\./);
    await choose(page, "Disable");
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("This endpoint is disabled.").waitFor();
    await press(page, "Enable");
    await page.getByText("This endpoint is disabled.").waitFor({ state: "detached" });
    await page.context().close();
  });

  test("an alert rule is written beside what it would have done, tested, and deleted", async () => {
    const page = await openPage(own.apiKey, "/alerts");
    await press(page, "New rule");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Every run");
    await dialog.getByLabel("On the event").selectOption("run.succeeded");
    await dialog.getByText("Would have done").waitFor();
    await dialog.getByText("Webhook", { exact: true }).click();
    await dialog.getByLabel("URL").fill(`${model.origin}/hooks/alerts`);
    await dialog.getByRole("button", { name: "Create" }).click();
    await press(page, "I have stored it");
    await page.getByRole("link", { name: "Every run" }).click();
    await press(page, "Send a test");
    await page
      .getByRole("status")
      .filter({ hasText: /200|accepted|received/i })
      .first()
      .waitFor();
    await choose(page, "Disable");
    await page.getByText("This rule is disabled.").waitFor();
    await choose(page, "Delete");
    await dialog.getByRole("button", { name: "Delete the rule" }).click();
    await page.getByRole("heading", { name: "Alerts", level: 1 }).waitFor();
    await expect.poll(async () => (await rowmill.alertRules.list()).data.length).toBe(0);
    await page.context().close();
  });

  test("somebody is invited, a key is made and revoked, a name is changed; the audit and the usage show it", async () => {
    const page = await openPage(own.apiKey, "/members");
    await press(page, "Invite");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("ada@example.com");
    await dialog.getByText("Developer", { exact: true }).click();
    await dialog.getByRole("button", { name: "Make the link" }).click();
    await dialog.getByText(/accept-invitation#token=/).waitFor();
    await press(page, "I have stored it");
    await page.getByText("ada@example.com").first().waitFor();

    await visit(page, "/members?tab=keys");
    await page.keyboard.press("c");
    await dialog.getByLabel("Name", { exact: true }).fill("Nightly import");
    await dialog.getByText("Only read", { exact: true }).click();
    await dialog.getByRole("button", { name: "Make the key" }).click();
    const key = (await dialog.getByText(/^rmk_/).textContent()) ?? "";
    await press(page, "I have stored it");
    const reader = new Rowmill({ baseUrl: service.url, apiKey: key, maxRetries: 0 });
    await reader.runs.list();
    await page
      .getByRole("row", { name: /Nightly import/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    await dialog.getByRole("button", { name: "Revoke the key" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect(reader.runs.list()).rejects.toMatchObject({ status: 401 });

    await visit(page, "/settings");
    await page.getByLabel("Name", { exact: true }).fill("Alpenrand Outfitters");
    await press(page, "Save");
    await untilSaid(page, "Saved.");
    await page.getByText("Alpenrand Outfitters").first().waitFor();

    await visit(page, "/audit?type=api_key.revoked");
    await page
      .getByRole("button", { name: /revoked/ })
      .first()
      .waitFor();
    // A phone has no column for what was changed.
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page
      .getByRole("button", { name: /revoked an API key .*key_…\w{6}$/ })
      .first()
      .waitFor();
    if (wide !== null) await page.setViewportSize(wide);
    await visit(page, "/usage");
    await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
    await page.context().close();
  });

  test("the colors that are chosen are those of every place that shows them, of other tabs, and of the next visit", async () => {
    const page = await openPage(own.apiKey, "/settings");
    const other = await page.context().newPage();
    await visit(other, "/settings");
    const backgroundOf = (tab: Page) => () => tab.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await backgroundOf(page)();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.getByRole("button", { name: "Colors: Dark" }).waitFor();
    const dark = await backgroundOf(page)();
    expect(dark).not.toBe(light);
    await expect.poll(backgroundOf(other)).toBe(dark);
    await other.getByRole("radio", { name: "Dark", checked: true }).waitFor({ state: "attached" });
    await visit(page, "/runs");
    expect(await backgroundOf(page)()).toBe(dark);
    await press(page, "Colors: Dark");
    await page.getByRole("menuitemradio", { name: "As the system" }).click();
    await expect.poll(backgroundOf(page)).toBe(light);
    await expect.poll(backgroundOf(other)).toBe(light);
  });

  test("the operator makes an organization, limits it, suspends it, and looks after the service", async () => {
    const page = await openPage(service.adminKey, "/");
    await page.getByRole("heading", { name: "Organizations", level: 1 }).waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Branch office");
    await dialog.getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /Branch office/ });
    await row.getByRole("button", { name: "Limits" }).click();
    await dialog.getByLabel("Runs in progress").fill("3");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Suspend" }).click();
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await row.getByText("Suspended").waitFor();
    const admin = new Rowmill({ baseUrl: service.url, apiKey: service.adminKey });
    const branch = (await admin.organizations.list()).data.find(({ name }) => name === "Branch office");
    expect(branch).toMatchObject({ state: "suspended", limits: { runsInProgress: 3 } });
    await row.getByRole("button", { name: "Activate" }).click();
    await dialog.getByRole("button", { name: "Activate" }).click();
    await row.getByRole("button", { name: "Open" }).click();
    // Who has nothing yet has three ways to begin; the demo data needs no file.
    await page.getByRole("heading", { name: "Welcome to Rowmill" }).waitFor();
    for (const name of ["Bring a file", "Try the demo data", "Connect a model"])
      await page.getByRole("heading", { name, exact: true }).waitFor();
    await press(page, "Load 200 reviews");
    await page.getByRole("heading", { name: "Demo reviews", level: 1 }).waitFor();
    await page.getByText("200 rows", { exact: false }).first().waitFor();
    await page.context().close();
  });
});
