/** One cookie for all tabs of a browser: what was written in one of them is not sent by the session that somebody begins in another one. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let own: TestOrganization;
let rowmill: Rowmill;
const members: Record<"ada" | "ben", { id: string; key: string }> = {
  ada: { id: "", key: "" },
  ben: { id: "", key: "" },
};

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
  for (const name of ["ada", "ben"] as const) members[name] = await newMember(name);
});
afterAll(() => closePages(browser));

async function newMember(name: string) {
  const { inviteUrl } = await rowmill.organizations.invitations.create(own.organizationId, {
    email: `${name}@example.com`,
    role: "owner",
  });
  const token = new URL(inviteUrl ?? "").hash.replace("#token=", "");
  const { member, apiKey } = await rowmill.organizations.invitations.accept({ token, name });
  return { id: member.id, key: apiKey.key ?? "" };
}

/** A browser in which Ada is signed in. */
async function openAsAda(script?: string): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  if (script !== undefined) await context.addInitScript(script);
  await signInByCookie(context, members.ada.key);
  return context;
}
/** Nothing reports it to the tabs. */
const signInByCookie = (context: BrowserContext, apiKey: string) =>
  context.request.put(`${service.url}/v1/session`, {
    data: { by: "api_key", apiKey },
    headers: { origin: service.url },
  });

const covered = (page: Page) => page.getByRole("dialog", { name: "Sign in to go on" });
async function enter(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel("API key").fill(apiKey);
  await page.keyboard.press("Enter");
}
async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Help and account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(`${service.url}/sign-in`);
}
const file = (name: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from("name\nAda\nGrace\n") });
type Audited = "dataset_upload.created" | "dataset_upload.content_received" | "connection.created";
const audited = async (type: Audited): Promise<(string | null)[]> =>
  (await rowmill.organizations.auditEvents(own.organizationId, { type })).data.map(({ actorId }) => actorId);

describe.skipIf(browser === undefined)("who signs in in another tab", () => {
  test.each([
    ["is announced by a channel", undefined],
    ["is announced through the storage, where a browser has no channels", "delete globalThis.BroadcastChannel"],
  ])("%s: the screen is covered without a look at the service", async (_, script) => {
    const context = await openAsAda(script);
    const [first, second] = [await context.newPage(), await context.newPage()];
    await first.goto(`${service.url}/job-specs/new`);
    await first.getByLabel("Name").fill("Written by Ada");
    await second.goto(`${service.url}/settings`);
    // No response can say that the session is over.
    await first.route("**/v1/**", () => undefined);
    await signOut(second);
    await covered(first).waitFor();
    await first.unroute("**/v1/**");
    await enter(second, members.ada.key);
    await covered(first).waitFor({ state: "detached" });
    expect(await first.getByLabel("Name").inputValue()).toBe("Written by Ada");
    await context.close();
  });

  test("sends no file of the one before, and goes on with it when they are back", async () => {
    const context = await openAsAda();
    const [first, second, third] = [await context.newPage(), await context.newPage(), await context.newPage()];
    // As on a network that is away: one file is on its way, of the other one the service does not know yet.
    let isAway = true;
    const attempts = { pieces: 0, creations: 0 };
    await context.route("**/v1/dataset-uploads/**", (route) => {
      if (route.request().method() !== "PATCH" || !isAway) return route.continue();
      attempts.pieces++;
      return route.abort();
    });
    await first.goto(`${service.url}/datasets`);
    await first.locator("input[type=file]").setInputFiles(file("on-its-way.csv"));
    await first.getByRole("heading", { name: "on-its-way" }).waitFor();
    await expect.poll(() => attempts.pieces).toBeGreaterThan(0);
    await second.route("**/v1/dataset-uploads", (route) => {
      if (route.request().method() !== "POST" || !isAway) return route.continue();
      attempts.creations++;
      return route.abort();
    });
    await second.goto(`${service.url}/datasets`);
    await second.locator("input[type=file]").setInputFiles(file("not-begun.csv"));
    await expect.poll(() => attempts.creations).toBeGreaterThan(0);

    await third.goto(`${service.url}/settings`);
    await signOut(third);
    await covered(first).getByText("The file that was being sent waits.").waitFor();
    await covered(second).getByText("The file that was being sent waits.").waitFor();
    await enter(third, members.ben.key);
    await third.getByRole("navigation", { name: "Main" }).waitFor();
    const said = "Another person has signed in in this browser. What you wrote here is kept for you.";
    for (const page of [first, second]) await covered(page).getByText(said).waitFor();
    isAway = false;
    // With the network back, the creation is tried once more, and refused: the cookie is that of Ben.
    expect((await second.waitForResponse((response) => response.request().method() === "POST")).status()).toBe(401);
    expect([await covered(first).count(), await covered(second).count()]).toEqual([1, 1]);
    // The tab of Ben begins clean.
    await newDataset(own.api, numberedRows(3), "Known to all");
    await third.goto(`${service.url}/datasets`);
    await third.getByRole("link", { name: "Known to all" }).waitFor();
    expect(await third.getByRole("link", { name: "not-begun" }).count()).toBe(0);

    // Ada signs in on one of her screens: both go on.
    await enter(first, members.ada.key);
    for (const page of [first, second]) {
      await covered(page).waitFor({ state: "detached" });
      await page.getByText("2 rows").first().waitFor();
    }
    for (const type of ["dataset_upload.created", "dataset_upload.content_received"] as const) {
      expect((await audited(type)).filter((actor) => actor === members.ada.id)).toHaveLength(2);
      expect(await audited(type)).not.toContain(members.ben.id);
    }
    await context.close();
  });

  test("sends no draft of the one before, also where nothing reports it to the tab", async () => {
    // Only the draft itself is sent: this tab follows no events.
    const context = await openAsAda("delete globalThis.SharedWorker");
    const page = await context.newPage();
    await page.route("**/v1/events/stream*", (route) => route.abort());
    await page.goto(`${service.url}/connections`);
    await page.getByRole("button", { name: "New connection" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New connection" });
    await dialog.getByLabel("Name").fill("Models of Ada");
    await dialog.getByLabel("Address").fill("https://models.example.com/v1");
    await dialog.getByLabel("Secret").fill("secret-of-ada-3141");
    // The cookie is never without a session: no response could say that one has ended.
    await signInByCookie(context, members.ben.key);
    await dialog.getByRole("button", { name: "Save and test" }).dispatchEvent("click");
    await covered(page).getByText("Another person has signed in in this browser.").waitFor();
    expect((await rowmill.connections.list({ name: "Models of Ada" })).data).toEqual([]);
    await enter(page, members.ada.key);
    await covered(page).waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Secret").inputValue()).toBe("secret-of-ada-3141");
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await expect.poll(async () => (await rowmill.connections.list({ name: "Models of Ada" })).data.length).toBe(1);
    expect(await audited("connection.created")).toEqual([members.ada.id]);
    await context.close();
  });
});

test.skipIf(browser === undefined)(
  "a session that ends in one tab ends in all of them, and another organization does not see the screen",
  async () => {
    await newDataset(own.api, numberedRows(8), "Numbers");
    const context = await openAsAda();
    const [first, second] = [await context.newPage(), await context.newPage()];
    await first.goto(`${service.url}/job-specs`);
    await second.goto(`${service.url}/datasets`);
    await second.getByRole("link", { name: "Numbers" }).waitFor();
    await signOut(first);
    await covered(second).waitFor();

    // Who signs in again does it once: the other tab goes on when somebody looks at it.
    await enter(first, members.ada.key);
    await first.getByRole("navigation", { name: "Main" }).waitFor();
    await second.evaluate("window.dispatchEvent(new Event('focus'))");
    await covered(second).waitFor({ state: "detached" });
    await second.getByRole("link", { name: "Numbers" }).waitFor();

    await context.request.delete(`${service.url}/v1/session`, { headers: { origin: service.url } });
    await covered(second).waitFor();
    const stranger = await service.newOrganization();
    // Somebody else's session in another tab is no reason to leave the screen.
    await signInByCookie(context, stranger.apiKey);
    const looked = second.waitForResponse((response) => response.url().endsWith("/v1/session") && response.ok());
    await second.evaluate("window.dispatchEvent(new Event('focus'))");
    await looked;
    await covered(second).getByText("Another organization has signed in in this browser.").waitFor();
    expect(await covered(second).count()).toBe(1);
    await covered(second).getByLabel("API key").fill(stranger.apiKey);
    await second.keyboard.press("Enter");
    await second.getByRole("heading", { name: "Welcome to Rowmill" }).waitFor();
    expect(new URL(second.url()).pathname).toBe("/");
    await context.close();
  },
);
