/** Every screen of the console in a real browser on a real service: accessible in both colors, at both widths; and without an error. */
import { text } from "node:stream/consumers";
import { Rowmill } from "@rowmill/client";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { openBrowser } from "./browser.ts";
import { operatorScreens, screensOf } from "./screens.ts";
import type { Screen } from "./screens.ts";
import { visitorOf } from "./visits.ts";
import type { Visitor } from "./visits.ts";
import { fillWorld, startModel } from "./world.ts";
import type { World } from "./world.ts";

const browser: Browser | undefined = await openBrowser();
/** In an order in which one thing changes at a time. */
const VIEWS = [
  [1280, "light"],
  [1280, "dark"],
  [390, "dark"],
  [390, "light"],
] as const;
/** The rules of WCAG 2.2 A and AA, and what axe calls best practice. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Only colors differ in the dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
/** Pages that share the work: while one waits for the service, the other is looked at. */
const PAGES = 2;
const REVIEWS = 120;
/** On a machine that has other things to do. */
const TIMEOUT_MS = 300_000;

let service: TestService;
let key: string;
let world: World;
/** The origin of a receiver of webhooks. */
let receiver: string;

beforeAll(async () => {
  if (browser === undefined) return;
  const model = await startModel();
  service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_CHUNK_ROWS: "20",
    // Receivers of webhooks on this machine.
    ROWMILL_MODE: "development",
  });
  receiver = model.origin;
  key = (await service.newOrganization()).apiKey;
  world = await fillWorld(service.url, key, model.origin, REVIEWS);
}, TIMEOUT_MS);
afterAll(() => browser?.close());

/** A page of its own cookies, signed in with the key. */
async function newVisitor(apiKey?: string): Promise<Visitor> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const { url } = service;
  if (apiKey !== undefined)
    await context.request.put(`${url}/v1/session`, { data: { by: "api_key", apiKey }, headers: { origin: url } });
  return visitorOf(await context.newPage(), url);
}

async function violations({ page }: Visitor, name: string): Promise<string[]> {
  const found: string[] = [];
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  for (const [width, colorScheme] of VIEWS) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Drawn in the new colors and at the new width.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const options = {
      runOnly: colorScheme === "light" ? TAGS : COLOR_RULES,
      resultTypes: ["violations"],
      // Style sheets are not fetched once more: no rule here reads them.
      preload: false,
    };
    const result = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
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
  for (let screen = screens.shift(); screen !== undefined; screen = screens.shift()) {
    await visitor.page.setViewportSize({ width: 1280, height: 844 });
    await visitor.visit(screen.path);
    await screen.prepare?.(visitor.page);
    found.push(...(await violations(visitor, screen.name)));
  }
  return [...found, ...visitor.problems];
}

test.skipIf(browser === undefined)(
  "no screen has a violation that axe finds, or an error",
  async () => {
    const screens = screensOf(world);
    const visitors = await Promise.all(Array.from({ length: PAGES }, () => newVisitor(key)));
    const found = await Promise.all(visitors.map((visitor) => lookThrough(visitor, screens)));
    expect(found.flat()).toEqual([]);
  },
  TIMEOUT_MS,
);

test.skipIf(browser === undefined)(
  "nor has the sign-in, or what the operator sees",
  async () => {
    const stranger = await newVisitor();
    await stranger.visit("/sign-in");
    expect(await violations(stranger, "sign-in")).toEqual([]);
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
      await visitor.visit(path);
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
    await page.getByText("The receiver had an error (503)").first().waitFor();
    expect(new URL(page.url()).search).toBe(`?delivery=${world.failedDeliveryId}`);

    const refusal = { code: "insufficient_scope", message: "The key lacks a scope.", details: [], requestId: "req_1" };
    await page.route(/\/v1\/(?!session)/, (route) => route.fulfill({ status: 403, json: { error: refusal } }));
    for (const place of ["/webhooks", "/alerts", "/usage", "/members", "/members?tab=keys", "/audit", "/settings"]) {
      await visitor.visit(place);
      await page.getByRole("alert").first().waitFor();
      expect([place, await page.getByText("insufficient_scope").count()]).not.toEqual([place, 0]);
    }
  },
  TIMEOUT_MS,
);

test.skipIf(browser === undefined)(
  "what surrounds the work is made, tried and taken back with the mouse and the keyboard",
  async () => {
    const visitor = await newVisitor(key);
    const { page } = visitor;
    const dialog = page.getByRole("dialog");
    const click = (name: string | RegExp) => page.getByRole("button", { name }).click();

    await visitor.visit("/webhooks");
    await page.keyboard.press("c");
    await dialog.getByLabel("URL").fill(`${receiver}/hooks/walk`);
    await dialog.getByLabel("All of export.*").check();
    await click("Create");
    await expect.poll(() => dialog.getByLabel("signing secret").innerText()).toMatch(/^whsec_/);
    await click("I have stored it");
    await page.getByRole("link", { name: /\/…\/walk$/ }).click();
    await page.getByText("run.finished").first().waitFor();
    await click("Send a test");
    await page.getByText("The receiver accepted the event (200).").first().waitFor();
    await page.getByRole("link", { name: "What was sent" }).click();
    await dialog.getByText("Response headers, 200").waitFor();
    await click("Send again");
    await page.getByText("Sent again").first().waitFor();
    await page.keyboard.press("Escape");
    await click("More actions");
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("This endpoint is disabled.").waitFor();

    await visitor.visit("/alerts");
    await click("New rule");
    await dialog.getByLabel("Name").fill("Walk");
    await dialog.getByLabel("On the event").selectOption("run.paused");
    await dialog.getByText("1 alert").waitFor();
    await dialog.getByRole("button", { name: /^reason/ }).click();
    expect(await dialog.getByLabel("Only if (CEL)").inputValue()).toBe('event.data.reason == "budget_exhausted"');
    await dialog.getByText("Webhook", { exact: true }).click();
    await dialog.getByLabel("URL").fill(`${receiver}/hooks/alerts`);
    await click("Create");
    await click("I have stored it");
    await page.getByRole("link", { name: "Walk" }).click();
    await click("Send a test");
    await page.getByText("The destination accepted the alert (200).").first().waitFor();

    await visitor.visit("/members?tab=keys");
    await click("New key");
    await dialog.getByLabel("Name").fill("Walk");
    await dialog.getByText("Only read").click();
    await click("Make the key");
    const made = await dialog.getByLabel("API key").innerText();
    const { scopes, expiresAt } = await meOf(made);
    expect(scopes.filter((scope) => scope.endsWith(":write"))).toEqual([]);
    expect(expiresAt).not.toBeNull();
    await click("I have stored it");
    await page.getByRole("row", { name: /^Walk/ }).getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("Also revoke everything").click();
    await click(/^Revoke/);
    await expect.poll(() => page.getByRole("row", { name: /^Walk/ }).count()).toBe(0);

    await visitor.visit("/usage?by=model");
    await page.getByText("house-small").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), click("CSV by model")]);
    expect(await text(await download.createReadStream())).toMatch(/^model,name,rows,.*\nhouse-small,,\d+,/);

    await visitor.visit("/settings");
    await page.getByLabel("Name").fill("Renamed <b>");
    await click("Save");
    await page.getByRole("complementary").getByText("Renamed <b>").waitFor();

    await visitor.visit("/audit?type=organization.updated");
    await click(/changed the organization/);
    await dialog.getByText("Renamed <b>").waitFor();
    expect(visitor.problems).toEqual([]);
  },
  TIMEOUT_MS,
);

/** What a key is, as it says itself. */
async function meOf(apiKey: string): Promise<{ scopes: string[]; expiresAt: string | null }> {
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const { organizationId, apiKeyId, scopes } = await rowmill.me();
  const { expiresAt } = await rowmill.organizations.apiKeys.get(organizationId ?? "", apiKeyId ?? "");
  return { scopes: [...scopes], expiresAt };
}
