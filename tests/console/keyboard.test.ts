/** The keyboard beyond the main job: finding things, the sheet of keys, where the focus goes; and addresses with unknown values. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { pressTogether } from "./keys.ts";
import { rememberToasts, saidOn, untilSaid } from "./toasts.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let page: Page;
let ids: { dataset: string; jobSpec: string; run: string; connection: string; endpoint: string; rule: string };

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService({ ROWMILL_MODE: "development" });
  const { api, apiKey } = await service.newOrganization();
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const dataset = await newDataset(api, numberedRows(40), "Quarterly numbers");
  const jobSpec = await rowmill.jobSpecs.create({
    name: "Echo",
    processor: { type: "transform", code: "export default (row) => {\n  return row;\n};\n" },
  });
  const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
  await rowmill.runs.waitFor(run.id);
  const connection = await rowmill.connections.create({
    name: "Prices of the warehouse",
    type: "http",
    baseUrl: "https://prices.example.com",
  });
  const endpoint = await rowmill.webhookEndpoints.create({
    url: "https://hooks.example.com/receivers/12345",
    description: "Ledger of the finance team",
    eventTypes: ["run.finished"],
  });
  const rule = await rowmill.alertRules.create({
    name: "Too many failures",
    eventType: "run.failed",
    destination: { type: "webhook", url: "https://hooks.example.com/alerts/12345" },
  });
  ids = {
    dataset: dataset.id,
    jobSpec: jobSpec.id,
    run: run.id,
    connection: connection.id,
    endpoint: endpoint.id,
    rule: rule.id,
  };
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  await rememberToasts(context);
  page = await context.newPage();
});
afterAll(() => closePages(browser));

/** What is typed into Ctrl K, and the entry that must appear. */
async function find(text: string, entry: RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill(text);
  await page.getByRole("option", { name: entry }).click();
}
const place = () => {
  const { pathname, hash } = new URL(page.url());
  return pathname + hash;
};
const focused = () => page.evaluate("document.activeElement?.textContent ?? ''");

describe.skipIf(browser === undefined)("the keyboard", () => {
  test("finds connections, endpoints and rules by name, and a run without a name by its dataset, job spec and id", async () => {
    await page.goto(`${service.url}/settings`);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await find("warehouse", /^Prices of the warehouse/);
    await expect.poll(place).toBe(`/connections#${ids.connection}`);
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe(ids.connection);
    await find("ledger", /^Ledger of the finance team/);
    await expect.poll(place).toBe(`/webhooks/${ids.endpoint}`);
    await find("too many", /^Too many failures/);
    await expect.poll(place).toBe(`/alerts/${ids.rule}`);
    for (const text of ["quarterly", "echo", ids.run.slice(0, 14)]) {
      await page.goto(`${service.url}/settings`);
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      await find(text, /^Echo on Quarterly numbers/);
      await expect.poll(place).toBe(`/runs/${ids.run}`);
    }
  });

  test("names a run that is found before the names of its dataset and job spec are known", async () => {
    const areLetThrough = Promise.withResolvers<void>();
    await page.route("**/v1/datasets?limit=200", async (route) => {
      await areLetThrough.promise;
      await route.continue();
    });
    await page.goto(`${service.url}/settings`);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("echo");
    await page.getByRole("option", { name: /^Echo on ds_/ }).waitFor();
    areLetThrough.resolve();
    const named = page.getByRole("option", { name: /^Echo on Quarterly numbers/ });
    await named.waitFor();
    expect(await named.count()).toBe(1);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("opens what is found for the whole text, also when Enter comes before the response", async () => {
    await page.goto(`${service.url}/settings`);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("quarterly");
    await page.getByRole("option", { name: /^Quarterly numbers/ }).waitFor();
    const isLetThrough = Promise.withResolvers<void>();
    const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.get("name") === "warehouse");
    await page.route("**/v1/datasets?*name=warehouse*", async (route) => {
      await isLetThrough.promise;
      await route.continue();
    });
    // What was found before is still shown.
    await search.fill("warehouse");
    await asked;
    await page.keyboard.press("Enter");
    expect(place()).toBe("/settings");
    isLetThrough.resolve();
    await expect.poll(place).toBe(`/connections#${ids.connection}`);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("has a sheet that begins with the screen's own keys, and ends with those of the others", async () => {
    await page.goto(`${service.url}/webhooks`);
    await page.getByRole("button", { name: "New endpoint" }).waitFor();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keyboard" });
    await sheet.waitFor();
    expect(await sheet.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
      "On this screen: Webhooks",
      "In lists and rows",
      "Everywhere",
      "Go to",
      "On other screens",
    ]);
    expect(await sheet.getByRole("heading", { level: 4 }).allInnerTexts()).toEqual([
      "Runs",
      "A run",
      "Datasets",
      "A dataset",
      "Job specs",
      "Connections",
      "A webhook endpoint",
      "Alerts",
      "An alert rule",
      "Members and keys",
    ]);
    expect(await sheet.innerText()).toContain("Act on all runs that match");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.goto(`${service.url}/runs/${ids.run}`);
    await page.getByRole("button", { name: "More actions" }).waitFor();
    await page.keyboard.press("?");
    await sheet.getByRole("heading", { name: "On this screen: A run" }).waitFor();
  });

  test("takes two keys for a sequence that were pressed one after the other, however late the page gets to them", async () => {
    await page.goto(`${service.url}/settings`);
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.evaluate(`{
      const [first, second] = ["g", "d"].map((key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      document.body.dispatchEvent(first);
      const end = performance.now() + 1_500;
      while (performance.now() < end);
      document.body.dispatchEvent(second);
    }`);
    await expect.poll(place).toBe("/datasets");
  });

  test("creates on each list by c", async () => {
    for (const [path, title] of [
      ["/runs", "New run"],
      ["/job-specs", "New job spec"],
      ["/connections", "New connection"],
      ["/webhooks", "New webhook endpoint"],
      ["/alerts", "New alert rule"],
      ["/members?tab=keys", "New API key"],
    ] as const) {
      await page.goto(service.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("c");
      await page.getByRole("heading", { name: title }).first().waitFor();
    }
    const chooser = page.waitForEvent("filechooser");
    await page.goto(`${service.url}/datasets`);
    await page.getByText("Choose a file").waitFor();
    await page.keyboard.press("c");
    expect((await chooser).isMultiple()).toBe(false);
  });

  test("goes on where it was when a dialog, a panel or the search is closed", async () => {
    await page.goto(`${service.url}/webhooks`);
    const button = page.getByRole("button", { name: "New endpoint" });
    await button.focus();
    for (const open of ["Enter", "Control+k", "?"]) {
      await page.keyboard.press(open);
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await focused()).toBe("New endpoint");
    }
  });

  test("begins at the content of a screen whose code is still to come, where the link was on the screen before", async () => {
    await page.goto(`${service.url}/datasets/${ids.dataset}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/assets\/new-job-spec-/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.getByRole("link", { name: "New job spec for it" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/job-specs\/new/);
    // The link has the focus until the screen before gives way, which it does after a moment.
    const heading = page.getByRole("heading", { name: "New job spec" });
    expect(await heading.count()).toBe(0);
    resolve();
    await heading.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("main");
    // And not where somebody has put it meanwhile.
    await page.getByLabel("Name", { exact: true }).focus();
    await page.getByText("Run a function").click();
    await page.getByRole("radio", { name: "Run a function" }).focus();
    await page.locator("[data-editor]").waitFor();
    expect(await page.evaluate("document.activeElement.type")).toBe("radio");
  });

  test("leads from row to row while one is open", async () => {
    await page.goto(`${service.url}/runs/${ids.run}?row=3`);
    const panel = page.getByRole("dialog");
    await panel.getByRole("heading", { name: /^Row 4 / }).waitFor();
    await page.keyboard.press("j");
    await panel.getByRole("heading", { name: /^Row 5 / }).waitFor();
    // The second before the screen shows what the first has opened.
    await pressTogether(page, "kk");
    await panel.getByRole("heading", { name: /^Row 3 / }).waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    // The grid has the focus, at the row that was open last.
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await panel.getByRole("heading", { name: /^Row 4 / }).waitFor();
    await page.goto(`${service.url}/datasets/${ids.dataset}?row=38`);
    await panel.getByRole("heading", { name: "Row 39" }).waitFor();
    await pressTogether(page, "jjk");
    await expect.poll(() => panel.getByRole("heading", { level: 2 }).innerText()).toBe("Row 39");
  });
});

describe.skipIf(browser === undefined)("a screen", () => {
  test("says which values of its address it does not know, and leaves them out", async () => {
    for (const [path, left, kept] of [
      ["/usage?by=color&range=7", "by=color", "range=7"],
      ["/runs?since=1y&state=paused&sort=-luck", "since=1y, sort=-luck", "state=paused"],
      [`/datasets/${ids.dataset}?row=first`, "row=first", ""],
      ["/audit?from=2026-13-45&to=2026-02-30", "from=2026-13-45, to=2026-02-30", ""],
      ["/audit?key=key_abc", "key=key_abc", ""],
      ["/audit?type=run.vanished&actor=ghost&to=9999-12-31", "type=run.vanished, actor=ghost", "to=9999-12-31"],
    ] as const) {
      await page.goto(service.url + path);
      await untilSaid(page, `This screen does not know ${left}. It is left out of the address.`);
      expect(new URL(page.url()).search).toBe(kept === "" ? "" : `?${kept}`);
    }
    await page.goto(`${service.url}/usage?by=model`);
    await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
    expect(await saidOn(page)).not.toContain("This screen does not know");
  });

  test("keeps a new job spec that was tested: whoever comes back finds what was saved", async () => {
    await page.goto(`${service.url}/job-specs/new?datasetId=${ids.dataset}`);
    await page.getByText("Rehearse", { exact: true }).click();
    await page.getByRole("button", { name: "Save and test on 5 rows" }).click();
    await page.getByText("All 5 rows succeeded").waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get("jobSpecId")).toMatch(/^spec_/);
    await page.getByRole("link", { name: "Start a run" }).click();
    await page.getByRole("heading", { name: "New run", level: 1 }).waitFor();
    await page.goBack();
    await page.getByText("Version 1, saved.").waitFor();
    await page.getByRole("heading", { name: "Rehearse", level: 1 }).waitFor();
    expect(place()).toMatch(/^\/job-specs\/spec_/);
  });

  test("shows the times of the service, whatever the clock of the browser says", async () => {
    const wrong = await page.context().newPage();
    await wrong.clock.setSystemTime(Date.now() - 3 * 3_600_000);
    await wrong.goto(`${service.url}/runs`);
    const created = wrong.getByRole("row", { name: /Quarterly numbers/ }).locator("time");
    await created.waitFor();
    expect(await created.innerText()).toMatch(/^(now|\d+ (s|min) ago)$/);
    await wrong.close();
  });

  test("shows the function of a job spec in its lines", async () => {
    await page.goto(`${service.url}/runs/${ids.run}/spec`);
    const code = page.locator("pre", { hasText: "export default" });
    await code.waitFor();
    expect(await code.innerText()).toContain("{\n  return row;\n}");
  });

  test("is printed dark on white, without the navigation", async () => {
    await page.goto(`${service.url}/runs/${ids.run}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.evaluate("document.documentElement.dataset.theme = 'dark'");
    const ink = () => page.evaluate("getComputedStyle(document.body).color");
    expect(await ink()).toBe("rgb(236, 238, 240)");
    await page.emulateMedia({ media: "print" });
    expect(await ink()).toBe("rgb(25, 27, 31)");
    expect(await page.getByRole("navigation", { name: "Main" }).isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
  });

  test("leaves no choice alone in its line on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/runs/new?datasetId=${ids.dataset}&jobSpecId=${ids.jobSpec}`);
    await page.getByText("A filter", { exact: true }).waitFor();
    // At one moment: what is read meanwhile may move both.
    const tops = await page.evaluate<number[]>(
      `[...document.querySelectorAll("fieldset label")]
        .filter(({ textContent }) => ["A filter", "A range"].includes(textContent.trim()))
        .map((label) => label.getBoundingClientRect().top)`,
    );
    expect(tops).toEqual([tops[0], tops[0]]);
  });
});
