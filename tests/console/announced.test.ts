/** What readers of screens announce: they know a region before the first text appears in it. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { visitorOf } from "./visits.ts";
import type { Visitor } from "./visits.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let context: BrowserContext;
let page: Page;
let visitor: Visitor;
let rowmill: Rowmill;
const ids = { dataset: "", jobSpec: "", run: "", upload: "" };

/** Notes each region of the page that is inserted with a text in sight, or out of sight, where readers of screens do not know it. */
const WATCH = `{
  window.insertedWithText = [];
  const textIn = (region) => {
    const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
    let text = "";
    while (walker.nextNode())
      if (walker.currentNode.parentElement.checkVisibility({ visibilityProperty: true })) text += walker.currentNode.data;
    return text.trim();
  };
  new MutationObserver((changes) => {
    const regions = new Set();
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof Element)
          for (const region of [node, ...node.querySelectorAll("*")])
            if (region.matches("[role=status], [aria-live]")) regions.add(region);
    for (const region of regions)
      if (textIn(region) !== "" || !region.checkVisibility({ visibilityProperty: true }))
        window.insertedWithText.push(region.textContent.slice(0, 60));
  }).observe(document, { childList: true, subtree: true });
}`;
const insertedWithText = (): Promise<string[]> => page.evaluate("window.insertedWithText");

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { api, apiKey } = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  ids.dataset = (await newDataset(api, numberedRows(300), "Numbers")).id;
  ids.jobSpec = (await rowmill.jobSpecs.create({ name: "Echo", processor: { type: "mock", failEvery: 50 } })).id;
  const scope = { type: "all" } as const;
  ids.run = (await rowmill.runs.create({ datasetId: ids.dataset, jobSpecId: ids.jobSpec, scope })).id;
  await rowmill.runs.waitFor(ids.run);
  await rowmill.runs.waitFor((await rowmill.runs.retry(ids.run)).id);
  const source = { type: "upload", filename: "later.csv" } as const;
  ids.upload = (await rowmill.datasetUploads.create({ name: "Later", source })).id;
  context = await openContext(browser);
  const data = { by: "api_key", apiKey };
  await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  page = await context.newPage();
  visitor = visitorOf(page, service.url);
  await visitor.visit("/settings");
  await page.evaluate(WATCH);
});
afterEach(() => context.unrouteAll({ behavior: "ignoreErrors" }));
afterAll(() => closePages(browser));

describe.skipIf(browser === undefined)("is in a region that was there before:", () => {
  test("that a screen, or a part of it, is read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await context.route(/\/v1\/runs\/[^/]*(\/lineage)?$/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.evaluate(`void self.__TSR_ROUTER__.navigate({ href: "/runs/${ids.run}/lineage" })`);
    await page.getByRole("status").filter({ hasText: "Loading…" }).getByText("Loading…").waitFor();
    resolve();
    await page.getByRole("link", { name: "Lineage", exact: true }).waitFor();
    expect(await insertedWithText()).toEqual([]);
  });

  test("a notice", async () => {
    await visitor.go(`/runs/${ids.run}`);
    await page.getByText("Retry 1 is newer than this run.").waitFor();
    await visitor.go(`/dataset-uploads/${ids.upload}`);
    await page.getByText("This upload is waiting for its file.").waitFor();
    expect(await insertedWithText()).toEqual([]);
  });

  test("how many runs an action is for, and how far it is", async () => {
    await visitor.go("/runs?since=30d");
    await page.getByRole("button", { name: "Act on all that match" }).click();
    await page.getByText("match the filter", { exact: false }).waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Retry", { exact: true }).click();
    await dialog.getByRole("button", { name: /^Retry \d+ run/ }).click();
    await dialog.getByText(/^\d+ of \d+$/).waitFor();
    await page.keyboard.press("Escape");
    expect(await insertedWithText()).toEqual([]);
  });

  test("that the rows and the cost of a run are counted", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await context.route(/\/v1\/runs$/, async (route) => {
      await promise;
      await route.continue();
    });
    await visitor.go(`/runs/new?datasetId=${ids.dataset}`);
    await page.getByLabel("Job spec").selectOption(ids.jobSpec);
    const region = page.getByRole("status").filter({ hasText: "Counting rows and cost…" });
    await region.waitFor();
    await page.evaluate(`{
      window.region = [...document.querySelectorAll("[role=status]")].find(({ textContent }) => /^Counting/.test(textContent));
    }`);
    resolve();
    await page.getByText("This job spec calls nobody.").waitFor();
    expect(await page.evaluate("window.region.isConnected && window.region.textContent")).toContain("calls nobody");
  });
});
