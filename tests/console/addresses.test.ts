/**
 * The console where an office has it: below a path of a proxy, by plain http, at a name of the local network. Browsers hide parts of
 * their API there (`crypto.randomUUID`, the clipboard), and every address of a page begins with the path.
 */
import type { Browser } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { openBrowser, openContext } from "./browser.ts";
import { openDoorway } from "./doorway.ts";
import { rememberToasts, untilSaid } from "./toasts.ts";

const browser: Browser | undefined = await openBrowser("MAP rowmill.lan 127.0.0.1");
afterAll(() => browser?.close());
const PREFIX = "/tools/rowmill";
/** The console has drawn what an event said after this time, in milliseconds. */
const REFRESH_MS = 2_000;
/** In the page: what the page has copied last. */
const REMEMBER_COPIES = `addEventListener("copy", () => {
  globalThis.copied = document.activeElement?.value ?? String(getSelection());
})`;

test.skipIf(browser === undefined)(
  "the console works below a path, by plain http, at a name of the network",
  async () => {
    if (browser === undefined) return;
    const doorway = await openDoorway(PREFIX);
    const publicUrl = `http://rowmill.lan:${new URL(doorway.url).port}${PREFIX}`;
    const service = await startTestService({ ROWMILL_PUBLIC_URL: publicUrl });
    doorway.upstream = service.url;
    const own = await service.newOrganization();
    const dataset = await newDataset(own.api, numberedRows(16), "Numbers");
    const jobSpec = await newJobSpec(own.api, { type: "mock", failEvery: 8, failUntilRetry: 1 });
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, name: "Below a path" });
    await finishedRun(own.api, run.id);

    const context = await openContext(browser);
    await context.addInitScript(REMEMBER_COPIES);
    await rememberToasts(context);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      // The browser writes every response of 400 and more, also the 401 that leads to the sign-in.
      if (message.type() === "error" && !message.text().includes("401")) problems.push(message.text());
    });

    // An address that somebody was sent leads to its place after the sign-in.
    const sent = `${publicUrl}/runs/${run.id}/failures?code=provider_overloaded`;
    await page.goto(sent);
    await page.getByLabel("API key").fill(own.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("grid", { name: "Rows that failed with provider_overloaded" }).waitFor();
    expect(page.url()).toBe(sent);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    await expect.poll(() => doorway.openStreams()).toBe(1);

    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    await untilSaid(page, "Copied as Markdown.");
    expect(await page.evaluate("copied")).toMatch(/^### Provider overloaded: 2 rows\n\n- Run: `run_/);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Copy as curl" }).click();
    await expect.poll(() => page.evaluate("copied")).toContain(`'${publicUrl}/v1/runs/${run.id}'`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Copy as TypeScript" }).click();
    await expect.poll(() => page.evaluate("copied")).toContain(`await rowmill.runs.get("${run.id}")`);
    expect(await page.evaluate("copied")).toContain(`baseUrl: "${publicUrl}"`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Copy the id" }).click();
    await expect.poll(() => page.evaluate("copied")).toBe(run.id);

    // By keys, by the palette, by a link, by a write: every address has the path.
    await page.keyboard.press("4");
    await page.waitForURL(`${publicUrl}/runs/${run.id}/exports`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type(dataset.id);
    await page
      .getByRole("option", { name: /dataset/i })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${publicUrl}/datasets/${dataset.id}`);
    await page.goBack();
    await page.waitForURL(`${publicUrl}/runs/${run.id}/exports`);
    // The response to the retry comes when the events of its end have long been received.
    const retryRequests: string[] = [];
    await page.route("**/retry", async (route) => {
      const isEstimate = route.request().postData()?.includes('"dryRun":true') === true;
      retryRequests.push(isEstimate ? "estimate" : "retry");
      const response = await route.fetch({ url: route.request().url().replace("rowmill.lan", "127.0.0.1") });
      if (!isEstimate) await finishedRun(own.api, ((await response.json()) as { id: string }).id);
      if (!isEstimate) await page.waitForTimeout(REFRESH_MS);
      await route.fulfill({ response });
    });
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Retry this cause" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Retry 2 rows/ })
      .click();
    await page.getByText("Retry of provider overloaded").first().waitFor();
    await page.waitForURL((url) => url.href.startsWith(`${publicUrl}/runs/run_`) && !url.href.includes(run.id));
    // The estimate is not asked for again once the retry has begun: nothing may be left to retry.
    expect(retryRequests).toEqual(["estimate", "retry"]);

    expect(problems).toEqual([]);

    // A session that has ended elsewhere: to the sign-in, and back. What the screen still reads meanwhile is refused, and React reports
    // that.
    await context.clearCookies();
    await page.goto(`${publicUrl}/job-specs`);
    await page.waitForURL(`${publicUrl}/sign-in?to=%2Fjob-specs`);
    expect(problems.filter((problem) => !problem.includes("Send your API key"))).toEqual([]);
    await context.close();
    doorway.close();
  },
);
