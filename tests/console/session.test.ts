/**
 * Sessions that end while a screen is open, by a revoked key for instance, and who signs in after that. Several tabs: `other-tabs.test.ts`.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let own: TestOrganization;
let rowmill: Rowmill;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
  await newDataset(own.api, numberedRows(8), "Numbers");
  await newJobSpec(own.api, { type: "mock" });
});
afterAll(() => closePages(browser));

const slow = { type: "mock", delayMs: 20_000 } as const;
const newKey = (name: string) => rowmill.organizations.apiKeys.create(own.organizationId, { name, scopes: ["*"] });

async function signedIn(apiKey: string): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  await signInElsewhere(context, apiKey);
  return context;
}
/** By the cookie that all tabs share, as from another one. */
const signInElsewhere = (context: BrowserContext, apiKey: string) =>
  context.request.put(`${service.url}/v1/session`, {
    data: { by: "api_key", apiKey },
    headers: { origin: service.url },
  });
async function newMember(name: string) {
  const email = `${name.toLowerCase()}@example.com`;
  const { inviteUrl } = await rowmill.organizations.invitations.create(own.organizationId, { email, role: "owner" });
  const token = new URL(inviteUrl ?? "").hash.replace("#token=", "");
  const { member, apiKey } = await rowmill.organizations.invitations.accept({ token, name });
  return { id: member.id, apiKeyId: apiKey.id, key: apiKey.key ?? "" };
}
const covered = (page: Page) => page.getByRole("dialog", { name: "Sign in to go on" });

describe.skipIf(browser === undefined)("a session that ends while a screen is open", () => {
  test("by its revoked key keeps what was written, and the same organization goes on where it was", async () => {
    const { id, key = "" } = await newKey("Revoked in the middle");
    const context = await signedIn(key);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${service.url}/job-specs/new`);
    await page.getByText("Run a function", { exact: true }).click();
    await page.getByLabel("Name").fill("Written before the end");
    await page.locator('[data-editor="javascript"]').waitFor();
    await page.getByText("Rehearse", { exact: true }).click();
    await page.getByLabel("Fail every so many rows").fill("7");
    const address = page.url();

    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    // Nobody has pressed anything: the stream of events ends, or the next look at the service is refused.
    await covered(page).waitFor();
    expect(page.url()).toBe(address);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog").count()).toBe(1);
    // Where the focus is outside of it, the browser closes a dialog at the second time in spite of the first.
    await covered(page).getByText("The session has ended.").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await covered(page).count()).toBe(1);

    await covered(page).getByLabel("API key").fill("rmk_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM");
    await page.keyboard.press("Enter");
    await covered(page).getByRole("alert").waitFor();
    await covered(page).getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    expect(await page.getByLabel("Name").inputValue()).toBe("Written before the end");
    expect(await page.getByLabel("Fail every so many rows").inputValue()).toBe("7");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Written before the end" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  test("by somebody who revokes its key here leaves the page for the sign-in", async () => {
    const { key = "" } = await newKey("Revoked by itself");
    const context = await signedIn(key);
    const page = await context.newPage();
    await page.goto(`${service.url}/members?tab=keys`);
    await page.evaluate("document.isTheSame = true");
    await page
      .getByRole("row", { name: /Revoked by itself.*this session/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke the key" }).click();
    await page.waitForURL(`${service.url}/sign-in`);
    expect(await page.evaluate("document.isTheSame")).toBeUndefined();
    await page.getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await context.close();
  });

  test("as a dialog is sent keeps the dialog", async () => {
    const { id, key = "" } = await newKey("Revoked before the dialog is sent");
    const context = await signedIn(key);
    // Only what is sent can notice it: without a worker that tabs share, this tab would follow the events.
    await context.addInitScript("delete globalThis.SharedWorker");
    const page = await context.newPage();
    await page.route("**/v1/events/stream*", (route) => route.abort());
    await page.goto(`${service.url}/connections`);
    await page.getByRole("button", { name: "New connection" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New connection" });
    await dialog.getByLabel("Name").fill("Written in a dialog");
    await dialog.getByLabel("Address").fill("https://models.example.com/v1");
    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await covered(page).getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Written in a dialog");
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await expect
      .poll(async () => (await rowmill.connections.list({ name: "Written in a dialog" })).data.length)
      .toBe(1);
    await context.close();
  });

  test("while a value is changed in place keeps what was typed", async () => {
    const [dataset, jobSpec] = [await newDataset(own.api, numberedRows(200), "Many"), await newJobSpec(own.api, slow)];
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, concurrency: 2 });
    const { id, key = "" } = await newKey("Revoked while a number is typed");
    const context = await signedIn(key);
    const page = await context.newPage();
    await page.goto(`${service.url}/runs/${run.id}`);
    const [change, field] = [
      page.getByRole("button", { name: "Rows in flight at once: change" }),
      page.getByRole("textbox", { name: "Rows in flight at once" }),
    ];
    // Left as it was, it closes.
    await change.click();
    await page.getByRole("button", { name: "Adjust" }).focus();
    await change.click();
    await field.fill("7");
    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    await covered(page).getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("7");
    await field.press("Enter");
    await change.getByText("7").waitFor();
    expect((await rowmill.runs.get(run.id)).concurrency).toBe(7);
    await expect.poll(() => page.locator(":focus").and(change).count()).toBe(1);
    await context.close();
  });

  test("while a file is sent goes on with the file", async () => {
    const { id, key = "" } = await newKey("Revoked while a file is sent");
    const context = await signedIn(key);
    const page = await context.newPage();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/v1/dataset-uploads/**", async (route) => {
      if (route.request().method() === "PATCH") await released;
      await route.continue();
    });
    await page.goto(`${service.url}/datasets`);
    await page.locator("input[type=file]").setInputFiles({
      name: "kept-back.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("name\nAda\nGrace\n"),
    });
    await page.getByRole("heading", { name: "kept-back" }).waitFor();
    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    await covered(page).waitFor();
    const refused = page.waitForResponse((response) => response.request().method() === "PATCH");
    release();
    expect((await refused).status()).toBe(401);
    await covered(page).getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await page.getByText("2 rows").first().waitFor();
    expect((await rowmill.datasets.list({ name: "kept-back" })).data).toMatchObject([{ state: "ready", rowCount: 2 }]);
    await context.close();
  });

  test("goes on with a file also where its refusal comes after the sign-in", async () => {
    const { id, key = "" } = await newKey("Revoked while a piece is on its way");
    const context = await signedIn(key);
    const page = await context.newPage();
    const [revoked, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let pieces = 0;
    await page.route("**/v1/dataset-uploads/**", async (route) => {
      if (route.request().method() !== "PATCH" || pieces++ > 0) return route.continue();
      await revoked.promise;
      const response = await route.fetch();
      expect(response.status()).toBe(401);
      await resumed.promise;
      return route.fulfill({ response });
    });
    await page.goto(`${service.url}/datasets`);
    await page.locator("input[type=file]").setInputFiles({
      name: "refused-late.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("name\nAda\nGrace\n"),
    });
    await page.getByRole("heading", { name: "refused-late" }).waitFor();
    await expect.poll(() => pieces).toBe(1);
    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    const refused = context.waitForEvent("response", (response) => response.request().method() === "PATCH");
    revoked.resolve();
    await covered(page).getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    resumed.resolve();
    expect((await refused).status()).toBe(401);
    await page.getByText("2 rows").first().waitFor();
    expect((await rowmill.datasets.list({ name: "refused-late" })).data).toMatchObject([{ state: "ready" }]);
    await context.close();
  });

  test("does not pass to another member what was written, nor a file that is being sent", async () => {
    const [ada, ben] = [await newMember("Ada"), await newMember("Ben")];
    const asAda = new Rowmill({ baseUrl: service.url, apiKey: ada.key });
    const { key: another = "" } = await asAda.organizations.apiKeys.create(own.organizationId, {
      name: "Ada's other key",
      scopes: ["*"],
    });
    const context = await signedIn(ada.key);
    const page = await context.newPage();
    const released = Promise.withResolvers<void>();
    let pieces = 0;
    await page.route("**/v1/dataset-uploads/**", async (route) => {
      if (route.request().method() !== "PATCH" || pieces++ > 0) return route.continue();
      await released.promise;
      // As a network does that is lost for a moment: the piece is sent again.
      return route.abort();
    });
    await page.goto(`${service.url}/datasets`);
    await page.locator("input[type=file]").setInputFiles({
      name: "of-ada.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("name\nAda\nGrace\n"),
    });
    await page.getByRole("heading", { name: "of-ada" }).waitFor();
    await expect.poll(() => pieces).toBe(1);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Connections" }).click();
    await page.getByRole("button", { name: "New connection" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New connection" });
    await dialog.getByLabel("Secret").fill("secret-of-ada-3141");
    await asAda.organizations.apiKeys.revoke(own.organizationId, ada.apiKeyId);
    await covered(page).waitFor();

    await signInElsewhere(context, ben.key);
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await covered(page)
      .getByText("Another person has signed in in this browser. What you wrote here is kept for you.")
      .waitFor();
    // The service is asked about the upload every few seconds, and sooner than that it would be sent.
    const asked = () => page.waitForResponse((response) => /\/dataset-uploads\/upl_\w+$/.test(response.url()));
    released.resolve();
    for (let times = 0; times < 2; times++) await asked();
    expect(pieces).toBe(1);
    expect(await covered(page).count()).toBe(1);

    await covered(page).getByLabel("API key").fill(another);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Secret").inputValue()).toBe("secret-of-ada-3141");
    const received = async () =>
      (await rowmill.organizations.auditEvents(own.organizationId, { type: "dataset_upload.content_received" })).data;
    await expect.poll(async () => (await received()).map(({ actorId }) => actorId)).toContain(ada.id);
    expect((await received()).map(({ actorId }) => actorId)).not.toContain(ben.id);
    await context.close();
  });

  test("says what a key of the same member that may do less lacks, and keeps what was written for one that may do as much", async () => {
    const cyd = await newMember("Cyd");
    const asCyd = new Rowmill({ baseUrl: service.url, apiKey: cyd.key });
    const { key: reads = "" } = await asCyd.organizations.apiKeys.create(own.organizationId, {
      name: "Reads connections",
      scopes: ["connections:read"],
    });
    const context = await signedIn(cyd.key);
    const page = await context.newPage();
    await page.goto(`${service.url}/connections`);
    await page.getByRole("button", { name: "New connection" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New connection" });
    await dialog.getByLabel("Name").fill("Kept for Cyd");
    await context.request.delete(`${service.url}/v1/session`, { headers: { origin: service.url } });
    await covered(page).getByLabel("API key").fill(reads);
    await page.keyboard.press("Enter");
    await covered(page)
      .getByText(
        /^You are signed in with a key that may do less than the one before: it lacks .+ and \d+ more scopes\.$/,
      )
      .waitFor();
    await covered(page).getByLabel("API key").fill(cyd.key);
    await page.keyboard.press("Enter");
    await covered(page).waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Kept for Cyd");
    await context.close();
  });

  test("asks whose key it is where another one that no member holds has signed in elsewhere", async () => {
    const { id, key = "" } = await newKey("Revoked before another key");
    const context = await signedIn(key);
    const page = await context.newPage();
    await page.goto(`${service.url}/job-specs/new`);
    await page.getByLabel("Name").fill("Written with a key");
    await rowmill.organizations.apiKeys.revoke(own.organizationId, id);
    await covered(page).waitFor();
    await signInElsewhere(context, own.apiKey);
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await covered(page).getByRole("button", { name: "Go on" }).click();
    await covered(page).waitFor({ state: "detached" });
    expect(await page.getByLabel("Name").inputValue()).toBe("Written with a key");
    await context.close();
  });
});
