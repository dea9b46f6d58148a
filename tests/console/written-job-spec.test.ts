/** What is written in a job spec and not saved: asked for before it is lost, and sent as it was written. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { freezeReads } from "./frozen-reads.ts";

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

afterEach(() => page?.unrouteAll({ behavior: "ignoreErrors" }));

/** Holds a request back until the function that it returns is called. */
async function hold(url: RegExp, method: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return resolve;
}

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
    // The address is not that of the other screen meanwhile.
    await page.waitForURL(address(id));
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

  test("leaves the history of the browser as it is", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Back", processor: codeOf("'first'") });
    await page.goto(address(""));
    await follow("Back");
    await page.waitForURL(address(id));
    await follow("Runs");
    await page.waitForURL(/\/runs$/);
    await page.evaluate("history.back()");
    await page.waitForURL(address(id));
    await nameField().fill("Mine");
    for (const way of ["back", "forward"]) {
      // The step, and its refusal: until then the address is the other one.
      await page.evaluate(`new Promise((resolve) => {
        let steps = 0;
        addEventListener("popstate", function count() {
          if (++steps < 2) return;
          removeEventListener("popstate", count);
          resolve();
        });
        history.${way}();
      })`);
      await question().waitFor();
      expect(page.url()).toBe(address(id));
    }
    await button("Stay").click();
    await question().waitFor({ state: "detached" });
    expect([page.url(), await nameField().inputValue()]).toEqual([address(id), "Mine"]);
    await page.evaluate("history.back()");
    await question().waitFor();
    await button("Leave").click();
    await page.waitForURL(/\/job-specs\/?$/);
    await page.getByRole("heading", { name: "Job specs" }).waitFor();
    await page.evaluate("history.forward()");
    await page.waitForURL(address(id));
    expect(await nameField().inputValue()).toBe("Back");
  });

  test("is left without a further question once it is saved", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Slow", processor: codeOf("'first'") });
    await page.goto(address(id));
    await nameField().fill("Saved");
    const save = await hold(/\/v1\/job-specs\//, "PATCH");
    await button("Save the name").click();
    await follow("Runs");
    await page.getByText("What is written here is being saved").waitFor();
    save();
    await page.waitForURL(/\/runs$/);
    expect((await rowmill.jobSpecs.get(id)).name).toBe("Saved");
  });

  test("leaves the entry of the list in the history while it is saved for the first time", async () => {
    await page.goto(address(""));
    await follow("New job spec");
    await page.getByText("Run a function").click();
    await nameField().fill("First");
    const save = await hold(/\/v1\/job-specs$/, "POST");
    await button("Save").click();
    await page.evaluate("history.back()");
    await page.getByText("What is written here is being saved").waitFor();
    await button("Stay").click();
    save();
    await page.waitForURL(/\/spec_/);
    await page.evaluate("history.back()");
    await page.waitForURL(/\/job-specs\/?$/);
    await page.getByRole("heading", { name: "Job specs" }).waitFor();
    expect((await rowmill.jobSpecs.list({ name: "First" })).data.length).toBe(1);
  });

  test("stays where it is written while a new job spec is saved", async () => {
    await page.goto(address("new"));
    await page.getByText("Run a function").click();
    await nameField().fill("New");
    const save = await hold(/\/v1\/job-specs$/, "POST");
    await button("Save").click();
    await nameField().fill("New, with more");
    // It is not among what is being saved.
    await follow("Runs");
    await question().waitFor();
    await button("Stay").click();
    save();
    await page.getByText("Version 1 is saved, its new name is not.").waitFor();
    expect(await nameField().inputValue()).toBe("New, with more");
    await page.waitForURL(/\/new\?jobSpecId=spec_/);
    await follow("Runs");
    await question().waitFor();
    await button("Stay").click();
    await button("Save the name").click();
    await expect.poll(async () => (await rowmill.jobSpecs.list({ name: "New, with more" })).data.length).toBe(1);
  });

  test("is saved once where the test that follows fails", async () => {
    const content = "a\n1\n";
    const { id: datasetId } = await rowmill.datasets.upload({ name: "One", content, filename: "one.csv" });
    await page.goto(address(`new?datasetId=${datasetId}`));
    await page.getByText("Run a function").click();
    await nameField().fill("Tested");
    const error = { code: "invalid_state", message: "Not now.", requestId: "req_1", details: [] };
    await page.route(/\/v1\/job-specs\/[^/]*\/test$/, (route) => route.fulfill({ status: 409, json: { error } }));
    await button("Save and test on 5 rows").click();
    await page.getByText("Not now.").first().waitFor();
    await page.getByText("Version 1, saved.").waitFor();
    await page.waitForURL(/jobSpecId=spec_/);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await button("Test on 5 rows").click();
    await page.getByText("Not now.").first().waitFor({ state: "detached" });
    expect((await rowmill.jobSpecs.list({ name: "Tested" })).data).toMatchObject([{ latestVersion: 1 }]);
    expect(await page.getByText("saved elsewhere").count()).toBe(0);
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

  test("is not asked for after another type was saved", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await page.getByText("Make a request").click();
    await page.locator('[data-editor="template"] [contenteditable=true]').fill("https://example.com/");
    await button("Save as version 2").click();
    await page.getByText("Version 2, saved.").waitFor();
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
    await page
      .getByText("The number 12345678901234567890 would be rounded: write it with fewer digits, or as text, in quotes.")
      .waitFor();
    await nameField().fill("Posted");
    await button("Save the name").click();
    await page.getByText(/Not saved: the JSON of “Body”/).waitFor();
    expect((await rowmill.jobSpecs.get(id)).latestVersion).toBe(1);
    // Nor where the field goes with the method of the request.
    await page.getByLabel("Method").selectOption("GET");
    await button("Save as version 2").click();
    await page.getByText("Version 2, saved.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).processor).not.toHaveProperty("body");
    // It comes back as it was written, and not as what is saved.
    await page.getByLabel("Method").selectOption("POST");
    await page.getByText("The number 12345678901234567890 would be rounded").waitFor();
    await button("Save as version 3").click();
    await page.getByText(/Not saved: the JSON of “Body”/).waitFor();
    await body.fill('{"id": "12345678901234567890", "exact": 9007199254740992, "half": 0.50}');
    await button("Save as version 3").click();
    await page.getByText("Version 3, saved.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).processor).toMatchObject({
      body: { id: "12345678901234567890", exact: 9_007_199_254_740_992, half: 0.5 },
    });
  });

  test("keeps every digit of a schema's integers that the form does not change", async () => {
    const outputSchema = { maximum: 9_223_372_036_854_775_807n };
    const { id } = await rowmill.jobSpecs.create({ name: "Ids", processor: codeOf("1"), outputSchema });
    await page.goto(address(id));
    await page.locator('[data-editor="javascript"] [contenteditable=true]').fill("export default () => 2");
    await button("Save as version 2").click();
    await page.getByText("Version 2, saved.").waitFor();
    const parseJson = (text: string): unknown => text;
    expect(await rowmill.jobSpecs.versions.get(id, 2, { parseJson })).toContain('"maximum":9223372036854775807');
  });

  test("replaces a name that nobody could see here, with a notice", async () => {
    const spec = await rowmill.jobSpecs.create({ name: "Before", processor: codeOf("'first'") });
    const { id } = spec;
    const reads = await freezeReads(page, spec);
    await page.goto(address(id));
    await nameField().fill("Mine");
    await rowmill.jobSpecs.update(id, { name: "Theirs" });
    reads.hold();
    await button("Save the name").click();
    reads.release();
    await page.getByText("It was renamed elsewhere just before: “Theirs”.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).name).toBe("Mine");
    await nameField().fill("Mine again");
    await button("Save the name").click();
    await page.getByText("Version 1, saved.").waitFor();
    await expect.poll(() => page.getByText("renamed elsewhere just before").count()).toBe(0);
  });

  test("has no buttons that would be refused once the job spec is archived", async () => {
    const spec = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    const { id } = spec;
    const reads = await freezeReads(page, spec);
    await page.goto(address(id));
    await page.locator('[data-editor="javascript"] [contenteditable=true]').fill("export default () => 'mine'");
    await rowmill.jobSpecs.archive(id);
    reads.hold();
    // The save is refused, and the screen finds out why.
    await button("Save as version 2").click();
    reads.release();
    await page.getByText("What you have written stays here to be copied").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^(Save|Test)/ }).count()).toBe(0);
    await page.locator('[data-editor="javascript"]').getByText("'mine'").waitFor();
  });

  test("has all of its versions on the screen, the older ones on demand", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Often changed", processor: codeOf("0") });
    for (let at = 1; at <= 101; at++) await rowmill.jobSpecs.versions.create(id, { processor: codeOf(String(at)) });
    await page.goto(address(id));
    await button("Show older versions").click();
    await page.getByText("Version 1", { exact: true }).waitFor();
    expect(await button("Show older versions").count()).toBe(0);
  });
});
