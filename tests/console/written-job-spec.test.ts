/** What is written in a job spec and not saved: asked for before it is lost, and sent as it was written. */
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
const nameField = () => page.getByLabel("Name", { exact: true });
const question = () => page.getByRole("dialog", { name: "Leave without saving?" });
const button = (name: string) => page.getByRole("button", { name, exact: true });
const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();

describe.skipIf(browser === undefined)("what is written in a job spec", () => {
  test("is not lost by a link, the back button or a reload without a question", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(""));
    await follow("Tidy");
    await page.waitForURL(address(id));
    await nameField().fill("Mine");
    await follow("Runs");
    await question().waitFor();
    await button("Stay").click();
    expect([page.url(), await nameField().inputValue()]).toEqual([address(id), "Mine"]);
    await page.evaluate("history.back()");
    await question().waitFor();
    await button("Stay").click();
    expect([page.url(), await nameField().inputValue()]).toEqual([address(id), "Mine"]);
    const asked = page.waitForEvent("dialog");
    const reload = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.accept();
    await reload;
    await nameField().fill("Mine");
    await follow("Runs");
    await button("Leave").click();
    await page.waitForURL(/\/runs$/);
    expect((await rowmill.jobSpecs.get(id)).name).toBe("Tidy");
  });

  test("is asked for only where it would be lost", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    // Another type was looked at, and a name was taken back.
    await page.getByText("Make a request").click();
    await page.getByText("Run a function").click();
    await nameField().fill("Mine");
    await nameField().fill("Tidy");
    await follow("Runs");
    await page.waitForURL(/\/runs$/);
    await page.goto(address("new"));
    await page.getByText("Run a function").click();
    await nameField().fill("New");
    await button("Save").click();
    // The way to what was saved.
    await page.waitForURL(/\/spec_/);
    await page.getByText("Version 1, saved.").waitFor();
    await follow("Runs");
    await page.waitForURL(/\/runs$/);
    expect(await question().count()).toBe(0);
  });

  test("is refused where the service would round a number, and names it", async () => {
    const processor = { type: "http", method: "POST", url: "https://example.com/" } as const;
    const { id } = await rowmill.jobSpecs.create({ name: "Post", processor });
    await page.goto(address(id));
    const body = page.locator('[data-editor="json"]').nth(1).locator("[contenteditable=true]");
    await body.fill('{"id": 12345678901234567890, "text": "12345678901234567890", "half": 0.50}');
    await page.getByText("The number 12345678901234567890 would be rounded: write it as text, in quotes.").waitFor();
    await page.getByRole("button", { name: /^Save/ }).last().click();
    await page.getByText(/Not saved: the JSON of “Body”/).waitFor();
    expect((await rowmill.jobSpecs.get(id)).latestVersion).toBe(1);
    await body.fill('{"id": "12345678901234567890", "exact": 9007199254740992, "half": 0.50}');
    await button("Save as version 2").click();
    await page.getByText("Version 2, saved.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).processor).toMatchObject({
      body: { id: "12345678901234567890", exact: 9_007_199_254_740_992, half: 0.5 },
    });
  });

  test("replaces a name that nobody could see here, with a notice", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Before", processor: codeOf("'first'") });
    await page.goto(address(id));
    await nameField().fill("Mine");
    await rowmill.jobSpecs.update(id, { name: "Theirs" });
    await button("Save the name").click();
    await page.getByText("It was renamed elsewhere just before: “Theirs”.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).name).toBe("Mine");
    await nameField().fill("Mine again");
    await button("Save the name").click();
    await page.getByText("Version 1, saved.").waitFor();
    await expect.poll(() => page.getByText("renamed elsewhere just before").count()).toBe(0);
  });

  test("has no buttons that would be refused once the job spec is archived", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await page.locator('[data-editor="javascript"] [contenteditable=true]').fill("export default () => 'mine'");
    await rowmill.jobSpecs.archive(id);
    // The save is refused, and the screen finds out why.
    await button("Save as version 2").click();
    await page.getByText("What you have written stays here to be copied").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^(Save|Test)/ }).count()).toBe(0);
    await page.locator('[data-editor="javascript"]').getByText("'mine'").waitFor();
  });
});
