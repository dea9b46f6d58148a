/** Buttons whose request was done and whose response was lost, as where the service is killed just then: pressed again, nothing is made twice. */
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, newJobSpec, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
const ROWS = 6;
const DID_NOT_RESPOND = "The service did not respond: it may have done this, or not.";
let service: TestService;
let own: TestOrganization;
let rowmill: Rowmill;
let context: BrowserContext;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
  context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey: own.apiKey }, headers });
});
afterAll(() => closePages(browser));

/** The service does what is sent to `path` by POST, also at the repeats of the client, and no response arrives. */
async function loseResponses(
  page: Page,
  path: string,
): Promise<{ lost: () => number; bringBack: () => Promise<void> }> {
  let lost = 0;
  const isLost = (url: URL): boolean => url.pathname === path;
  await page.route(isLost, async (route) => {
    const request = route.request();
    // An estimate makes nothing, and has the same path.
    if (request.method() !== "POST" || request.postData()?.includes('"dryRun":true') === true) return route.fallback();
    const response = await route.fetch();
    if (response.ok()) lost++;
    await route.abort("connectionreset");
  });
  // A request that comes meanwhile is still to be responded to.
  return { lost: () => lost, bringBack: () => page.unrouteAll({ behavior: "wait" }) };
}

/** The price stands behind it. */
const idle = (place: Page | Locator, name: string) => place.getByRole("button", { name, disabled: false });

describe.skipIf(browser === undefined)("a response that was lost", () => {
  test("of a run and of its retry: the button that is pressed again leads to the one that was made", async () => {
    const dataset = await newDataset(own.api, numberedRows(ROWS), "Numbers");
    const spec = await newJobSpec(own.api, { type: "mock", failEvery: 2 });
    const page = await context.newPage();
    await page.goto(`${service.url}/runs/new?datasetId=${dataset.id}&jobSpecId=${spec.id}`);
    const start = await loseResponses(page, "/v1/runs");
    await idle(page, `Run ${ROWS} rows`).click();
    await expect.poll(start.lost).toBe(2);
    await page.getByText(DID_NOT_RESPOND).waitFor();
    await start.bringBack();
    await idle(page, `Run ${ROWS} rows`).click();
    await page.waitForURL(/\/runs\/run_/);
    const [run, ...others] = (await rowmill.runs.list({ jobSpecId: spec.id })).data;
    expect(others).toEqual([]);
    const runId = run?.id ?? "";
    expect(page.url()).toContain(runId);

    await rowmill.runs.waitFor(runId);
    const retry = await loseResponses(page, `/v1/runs/${runId}/retry`);
    await page.getByRole("button", { name: "Retry 3 rows" }).click();
    const dialog = page.getByRole("dialog");
    await idle(dialog, "Retry 3 rows").click();
    await expect.poll(retry.lost).toBe(2);
    await dialog.getByText(DID_NOT_RESPOND).waitFor();
    await retry.bringBack();
    await idle(dialog, "Retry 3 rows").click();
    await dialog.waitFor({ state: "detached" });
    expect((await rowmill.runs.list({ jobSpecId: spec.id })).data.map(({ parentRunId }) => parentRunId)).toEqual([
      runId,
      null,
    ]);
    await page.close();
  });

  test("of a new key: the same key is shown, and there is one", async () => {
    const page = await context.newPage();
    await page.goto(`${service.url}/members?tab=keys`);
    await page.getByRole("button", { name: "New key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Nightly import");
    const keys = await loseResponses(page, `/v1/organizations/${own.organizationId}/api-keys`);
    await dialog.getByRole("button", { name: "Make the key" }).click();
    await expect.poll(keys.lost).toBe(2);
    await keys.bringBack();
    await dialog.getByRole("button", { name: "Make the key", disabled: false }).click();
    const shown = await page.getByLabel("API key", { exact: true }).textContent();
    const made = (await rowmill.organizations.apiKeys.list(own.organizationId)).data;
    expect(made.filter(({ name }) => name === "Nightly import")).toHaveLength(1);
    const program = new Rowmill({ baseUrl: service.url, apiKey: shown ?? "" });
    expect(await program.runs.list()).toBeDefined();
    await page.close();
  });

  test("of an invitation: the link that works once still lets its person in", async () => {
    const invited = { email: "ada@example.com", role: "developer" } as const;
    const { inviteUrl = "" } = await rowmill.organizations.invitations.create(own.organizationId, invited);
    if (browser === undefined) return;
    const visitor = await openContext(browser);
    const page = await visitor.newPage();
    const acceptance = await loseResponses(page, "/v1/invitations/accept");
    await page.goto(inviteUrl);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Accept the invitation" }).click();
    await expect.poll(acceptance.lost).toBe(2);
    await acceptance.bringBack();
    await page.getByRole("button", { name: "Accept the invitation", disabled: false }).click();
    await page.getByText("Your API key").waitFor();
    await visitor.close();
  });

  test("of an invitation, and the page is loaded again: its person still gets the key, also by a corrected name", async () => {
    const invited = { email: "grace@example.com", role: "developer" } as const;
    const { inviteUrl = "" } = await rowmill.organizations.invitations.create(own.organizationId, invited);
    if (browser === undefined) return;
    const visitor = await openContext(browser);
    const page = await visitor.newPage();
    const acceptance = await loseResponses(page, "/v1/invitations/accept");
    await page.goto(inviteUrl);
    await page.getByLabel("Your name").fill("Grace");
    await page.getByRole("button", { name: "Accept the invitation" }).click();
    await page.getByText(DID_NOT_RESPOND).waitFor();
    await acceptance.bringBack();
    await page.reload();
    await expect.poll(() => page.getByLabel("Your name").inputValue()).toBe("Grace");
    await page.getByLabel("Your name").fill("Grace Hopper");
    await page.getByRole("button", { name: "Accept the invitation", disabled: false }).click();
    await page.getByText("Your API key").waitFor();
    const members = (await rowmill.organizations.members.list(own.organizationId)).data;
    expect(members.filter(({ email }) => email === invited.email).map(({ name }) => name)).toEqual(["Grace"]);
    // Nothing of it is left in the browser.
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("acceptance");
    await visitor.close();
  });
});
