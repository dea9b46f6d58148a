/** Every screen of the console in a real browser on a real service: accessible in both colors, at both widths; and without an error. */
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { endedScreens, operatorScreens, screensOf } from "./screens.ts";
import type { Screen } from "./screens.ts";
import { visitorOf } from "./visits.ts";
import type { Visitor } from "./visits.ts";
import { fillWorld } from "./fill-world.ts";
import type { World } from "./fill-world.ts";
import { startModel } from "./house-model.ts";

const browser: Browser | undefined = await findBrowser();
/** Half of the text that the package names as its source, which each page has to compile. */
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VIEWS = [
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
] as const;
/** The rules of WCAG 2.2 A and AA, and what axe calls best practice. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Only colors differ in the dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
/** In the page: pixels of lists and grids that are beyond their right edge. */
const HIDDEN_SIDEWAYS =
  'Math.max(0, ...[...document.querySelectorAll("[data-rows]")].map((list) => list.scrollWidth - list.clientWidth))';
/** In the page, which is asked to move less. */
const MOVES_ON = "document.getAnimations().some(({ effect }) => effect.getTiming().iterations === Infinity)";
const REVIEWS = 120;
/** For a test that hangs: two hundred looks at screens take minutes on a machine that has other things to do. */
const TIMEOUT_MS = 1_200_000;

let service: TestService;
let key: string;
let world: World;

beforeAll(async () => {
  if (browser === undefined) return;
  const model = await startModel();
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_CHUNK_ROWS: "20",
    // Receivers of webhooks on this machine.
    ROWMILL_MODE: "development",
  });
  key = (await service.newOrganization()).apiKey;
  world = await fillWorld(service.url, key, model.origin, REVIEWS);
}, TIMEOUT_MS);
afterAll(() => closePages(browser));

/** A page of its own cookies, signed in with the key. The browser keeps axe for every document of it. */
async function newVisitor(apiKey?: string): Promise<Visitor> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  const { url } = service;
  if (apiKey !== undefined)
    await context.request.put(`${url}/v1/session`, { data: { by: "api_key", apiKey }, headers: { origin: url } });
  await context.addInitScript({ path: AXE });
  return visitorOf(await context.newPage(), url);
}

async function violations({ page }: Visitor, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of VIEWS) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Drawn in the new colors and at the new width.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const drawn = Number(await page.evaluate("document.documentElement.scrollWidth"));
    if (drawn > width) found.push(`${name}, ${width}: the page is ${drawn} pixels wide`);
    // A phone shows rows as cards, and of lists what has room: no value is beyond the edge.
    if (width === 390 && Number(await page.evaluate(HIDDEN_SIDEWAYS)) > 0)
      found.push(`${name}, ${width}: a list is scrolled sideways`);
    if ((await page.evaluate(MOVES_ON)) === true) found.push(`${name}, ${width}: something moves without an end`);
    const options = {
      runOnly: colorScheme === "light" ? TAGS : COLOR_RULES,
      resultTypes: ["violations"],
      // Elements are named by their HTML; selectors would take a look at the whole document.
      selectors: false,
      // Style sheets are not fetched once more: no rule here reads them.
      preload: false,
    };
    const result = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
    for (const { id, nodes } of result.violations)
      found.push(
        `${name}, ${colorScheme}, ${width}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
      );
  }
  return found;
}

/** What axe finds on the screens, and errors of the pages. */
async function lookThrough(visitor: Visitor, screens: Screen[]): Promise<string[]> {
  const found: string[] = [];
  const { page } = visitor;
  for (let screen = screens.shift(); screen !== undefined; screen = screens.shift()) {
    await page.setViewportSize({ width: 1280, height: 844 });
    await visitor.go(screen.path);
    await screen.prepare?.(page);
    found.push(...(await violations(visitor, screen.name)));
  }
  return [...found, ...visitor.problems];
}

test.skipIf(browser === undefined)(
  "no screen has a violation that axe finds, or an error",
  async () => {
    const screens = screensOf(world);
    expect(await lookThrough(await newVisitor(key), screens)).toEqual([]);
  },
  TIMEOUT_MS,
);

test.skipIf(browser === undefined)(
  "nor has the sign-in, the cover of an ended session, or what the operator sees",
  async () => {
    const stranger = await newVisitor();
    await stranger.visit("/sign-in");
    expect(await violations(stranger, "sign-in")).toEqual([]);
    const found = await lookThrough(await newVisitor(key), [...endedScreens]);
    // What was asked for without a session is reported by the browser.
    expect(found.filter((problem) => !problem.includes("responded with a status of 401"))).toEqual([]);
    expect(await lookThrough(await newVisitor(service.adminKey), [...operatorScreens])).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Words of buttons that change something. */
const CHANGES =
  /^(New|Create|Delete|Revoke|Rotate|Invite|Test|Send|Change|Disable|Enable|Replay|Remove|Save|Suspend|Cancel|Retry|Choose a file)\b/;

test.skipIf(browser === undefined)(
  "a key that may only read sees every list, and no button that it cannot use",
  async () => {
    const visitor = await newVisitor(world.readOnlyKey);
    const paths = [
      ...screensOf(world).flatMap(({ isList, path }) => (isList === true ? [path] : [])),
      `/webhooks/${world.failingEndpointId}?delivery=${world.failedDeliveryId}`,
      `/alerts/${world.alertRuleId}`,
      "/settings",
    ];
    for (const path of paths) {
      await visitor.go(path);
      const names = await visitor.page.locator("main button, main a, dialog button").allInnerTexts();
      expect([path, names.filter((name) => CHANGES.test(name.trim()))]).toEqual([path, []]);
      expect([path, await visitor.page.getByRole("alert").count()]).toEqual([path, 0]);
    }
    expect(visitor.problems).toEqual([]);
  },
  TIMEOUT_MS,
);

test.skipIf(browser === undefined)(
  "a screen whose data is refused says why, and an address leads to its place after the sign-in",
  async () => {
    const visitor = await newVisitor();
    const { page } = visitor;
    const path = `/webhooks/${world.failingEndpointId}?delivery=${world.failedDeliveryId}`;
    await page.goto(service.url + path);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The receiver had an error (503)").filter({ visible: true }).first().waitFor();
    expect(new URL(page.url()).search).toBe(`?delivery=${world.failedDeliveryId}`);

    const refusal = { code: "insufficient_scope", message: "The key lacks a scope.", details: [], requestId: "req_1" };
    await page.route(/\/v1\/(?!session)/, (route) => route.fulfill({ status: 403, json: { error: refusal } }));
    for (const place of ["/webhooks", "/alerts", "/usage", "/members", "/members?tab=keys", "/audit", "/settings"]) {
      await visitor.visit(place);
      // In one look: what is read again meanwhile has no alert for a moment.
      await page.getByRole("alert").filter({ hasText: "insufficient_scope" }).first().waitFor();
    }
  },
  TIMEOUT_MS,
);

test.skipIf(browser === undefined)(
  "an editor completes columns, marks what is wrong at its place, keeps keys to itself, and lets the keyboard go on",
  async () => {
    const visitor = await newVisitor(key);
    const { page } = visitor;
    await visitor.visit(`/job-specs/new?datasetId=${world.datasetId}`);
    const press = async (...keys: string[]): Promise<void> => {
      for (const one of keys) await page.keyboard.press(one);
    };
    const marked = page.locator(".cm-lintRange-error");
    const focused = page.locator(":focus");
    await page.getByLabel("Name", { exact: true }).fill("Edited");
    const prompt = page.locator('[data-editor="template"]').getByRole("textbox", { name: "Prompt" });
    await prompt.click();
    // `g d` is text here, and no way to the datasets.
    await page.keyboard.type("g d {{rat");
    await page.getByRole("option", { name: "rating" }).click();
    await page.keyboard.type(" {{row.nope}} ");
    await page.getByText("The dataset has no column “nope”.").waitFor();
    await page.getByRole("button", { name: /^country/ }).click();
    expect(await prompt.innerText()).toBe("g d {{row.rating}} {{row.nope}} {{row.country}}");
    expect(await page.locator(".cm-reference").allInnerTexts()).toEqual(["{{row.rating}}", "{{row.country}}"]);
    await press("Tab");
    expect(await focused.and(prompt).count()).toBe(0);

    await page.getByText("JSON Schema", { exact: true }).click();
    const schema = page.getByRole("textbox", { name: "JSON Schema" });
    await page.locator('[data-editor="json"]').waitFor();
    await schema.fill('{\n  "type": "object",\n  "properties": { "mood" { "type": "strin" } }\n}');
    await page.getByText("Not valid JSON: line 3, column 26: “{” is unexpected.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved: the JSON of “JSON Schema” cannot be saved as it stands.").waitFor();
    await schema.fill('{\n  "type": "object",\n  "properties": { "mood": { "type": "strin" } }\n}');
    await expect.poll(() => marked.count()).toBe(0);
    await page.getByLabel("Model", { exact: true }).fill("house-small");
    await page.getByLabel("Connection").selectOption("House model");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    // The service names the path; the mark stands at its value.
    await expect.poll(() => marked.allInnerTexts()).toEqual(['"strin"']);
    await schema.press("Tab");
    expect(await focused.and(schema).count()).toBe(1);
    await press("Escape", "Tab");
    expect(await focused.and(schema).count()).toBe(0);
    await page.getByText("Retries, timeout, limits, cache").click();
    await page.locator('[data-editor="json"]').last().waitFor();
    await page.getByRole("textbox", { name: "Settings as JSON" }).fill('{"retry": {"maxAttempts": 0}}');
    await schema.fill("");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => marked.allInnerTexts()).toEqual(["0"]);
    // A refused style or script would be reported here; a refused request is.
    expect(visitor.problems.filter((problem) => !problem.includes("responded with a status of 4"))).toEqual([]);
  },
  TIMEOUT_MS,
);
