/** A job spec that is open in one tab, and saved in another. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

  const nameField = () => page.getByLabel("Name", { exact: true });
  const code = () => page.locator('[data-editor="javascript"]');
  const writeCode = (text: string) => code().locator("[contenteditable=true]").fill(`export default () => ${text}`);

  test("leaves JSON that is not valid yet, and fields without a name", async () => {
    const processor = { type: "http", method: "POST", url: "https://example.com/" } as const;
    const { id } = await rowmill.jobSpecs.create({ name: "Post", processor });
    await page.goto(address(id));
    await page.getByText("Retries, timeout, limits, cache").click();
    const json = page.locator('details [data-editor="json"] [contenteditable=true]');
    await json.fill('{"retry": {');
    await rowmill.jobSpecs.versions.create(id, { processor: { ...processor, method: "PUT" } });
    await comeBack(id);
    await page.getByText("Version 2 was saved elsewhere meanwhile.").waitFor();
    expect(await json.innerText()).toContain('{"retry": {');

    const connection = await rowmill.connections.create({
      name: "Models",
      type: "openai_compatible",
      baseUrl: "https://example.com/v1",
      secret: "sk-models",
    });
    const messages = [{ role: "user" as const, content: "Hi" }];
    const llm = { type: "llm" as const, connection: connection.id, model: "m", messages };
    const asked = await rowmill.jobSpecs.create({ name: "Ask", processor: llm });
    await page.goto(address(asked.id));
    await page.getByRole("button", { name: "Add a field" }).click();
    await page.getByLabel("Type of the field").selectOption("enum");
    await rowmill.jobSpecs.update(asked.id, { name: "Asked" });
    await comeBack(asked.id);
    await page.getByText("It was renamed elsewhere meanwhile").waitFor();
    expect(await page.getByLabel("Type of the field").inputValue()).toBe("enum");
  });

  test("leaves the drafts of other types", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await page.getByText("Make a request").click();
    await page.getByLabel("URL").fill("https://example.com/mine");
    await page.getByText("Run a function").click();
    await page.getByText("Version 1, saved.").waitFor();
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'second'") });
    await comeBack(id);
    await page.getByText("Version 2 was saved elsewhere meanwhile.").waitFor();
    await page.getByText("Make a request").click();
    await page.locator('[data-editor="template"]').getByText("https://example.com/mine").waitFor();
    expect((await rowmill.jobSpecs.get(id)).latestVersion).toBe(2);
  });

  test("is not renamed back by a version that is saved here", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Before", processor: codeOf("'first'") });
    await page.goto(address(id));
    await writeCode("'mine'");
    await rowmill.jobSpecs.update(id, { name: "After" });
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByText("Version 2, saved.").waitFor();
    await expect.poll(() => nameField().inputValue()).toBe("After");
    await writeCode("'mine again'");
    await page.getByRole("button", { name: "Save as version 3" }).click();
    await page.getByText("Version 3, saved.").waitFor();
    expect((await rowmill.jobSpecs.get(id)).name).toBe("After");
  });

  test("takes a version of somebody else where only the name was written", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Before", processor: codeOf("'first'") });
    await page.goto(address(id));
    await nameField().fill("Mine");
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'theirs'") });
    await comeBack(id);
    await page.getByText("Saving the name makes no version.").waitFor();
    await page.getByRole("button", { name: "Save the name" }).click();
    await page.getByText("Version 2, saved.").waitFor();
    await code().getByText("'theirs'").waitFor();
    expect(await nameField().inputValue()).toBe("Mine");
    expect(await rowmill.jobSpecs.get(id)).toMatchObject({ name: "Mine", latestVersion: 2 });
  });

  test("is reported after a save on top of a version that nobody could see here", async () => {
    const spec = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    const { id } = spec;
    const reads = await freezeReads(page, spec);
    await page.goto(address(id));
    await writeCode("'mine'");
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'theirs'") });
    reads.hold();
    await page.getByRole("button", { name: "Save as version 2" }).click();
    reads.release();
    await page.getByText("Version 2 was saved elsewhere just before.").waitFor();
    await page.getByText("Version 3, yours, is without its changes").waitFor();
    expect((await rowmill.jobSpecs.get(id)).latestVersion).toBe(3);
  });

  test("is reported also on the screen where it was written first", async () => {
    const content = "a\n1\n";
    const { id: datasetId } = await rowmill.datasets.upload({ name: "One", content, filename: "one.csv" });
    await page.goto(address(`new?datasetId=${datasetId}`));
    await page.getByText("Run a function").click();
    await page.getByRole("button", { name: "Save and test on 5 rows" }).click();
    await page.waitForURL(/jobSpecId=/);
    const id = new URL(page.url()).searchParams.get("jobSpecId")!;
    await page.getByText("Version 1, saved.").waitFor();
    await writeCode("'mine'");
    await rowmill.jobSpecs.versions.create(id, { processor: codeOf("'theirs'") });
    await comeBack(id);
    await page.getByText("Version 2 was saved elsewhere meanwhile.").waitFor();
    expect(await code().getByText("'mine'").count()).toBe(1);
  });

  test("leaves what was written where it is archived", async () => {
    const { id } = await rowmill.jobSpecs.create({ name: "Tidy", processor: codeOf("'first'") });
    await page.goto(address(id));
    await writeCode("'mine'");
    await rowmill.jobSpecs.archive(id);
    await comeBack(id);
    await page.getByText("What you have written stays here to be copied").waitFor();
    await code().getByText("'mine'").waitFor();
    expect(await nameField().inputValue()).toBe("Tidy");
  });
});
