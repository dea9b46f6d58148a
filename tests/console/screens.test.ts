/** Every screen of the console in a real browser on a real service: accessible in both colors, at both widths; and without an error. */
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import { openBrowser } from "./browser.ts";
import { screensOf } from "./screens.ts";
import type { Screen } from "./screens.ts";
import { fillWorld, startModel } from "./world.ts";

const browser: Browser | undefined = await openBrowser();
const WIDTHS = [1280, 390];
const COLORS = ["light", "dark"] as const;
/** The rules of WCAG 2.2 A and AA, and what axe calls best practice. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Only colors differ in the dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

let url: string;
let key: string;
let screens: Screen[];
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  if (browser === undefined) return;
  const model = await startModel();
  const service = await startTestService({
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin,
    ROWMILL_CHUNK_ROWS: "20",
  });
  const tenant = await service.newOrganization();
  [url, key] = [service.url, tenant.apiKey];
  screens = screensOf(await fillWorld(url, key, model.origin, 300));
  const context = await browser.newContext();
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${page.url()}: ${message.text()}`);
  });
});
afterAll(() => browser?.close());

async function violations(name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS)
    for (const colorScheme of COLORS) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const result = (await page.evaluate(
        `axe.run({ runOnly: ${JSON.stringify(colorScheme === "light" ? TAGS : COLOR_RULES)} })`,
      )) as axe.AxeResults;
      for (const { id, nodes } of result.violations)
        found.push(
          `${name}, ${colorScheme}, ${width}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
        );
    }
  return found;
}

const visit = async (path: string): Promise<void> => {
  await page.goto(url + path);
  // By its tag: behind an open panel the rest of the page is out of reach.
  await page.locator("h1").waitFor();
  await page.waitForLoadState("networkidle", { timeout: 800 }).catch(() => undefined);
  await page.evaluate(axe.source);
};

test.skipIf(browser === undefined)(
  "no screen has a violation that axe finds, or an error",
  async () => {
    await visit("/sign-in");
    const found = await violations("sign-in");
    await page.request.put(`${url}/v1/session`, { data: { by: "api_key", apiKey: key }, headers: { origin: url } });
    for (const screen of screens) {
      await visit(screen.path);
      await screen.prepare?.(page);
      found.push(...(await violations(screen.name)));
    }
    expect(found).toEqual([]);
    // Before the key there is no session: the browser itself reports that answer.
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
  },
  300_000,
);
