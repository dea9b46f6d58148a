/** The guide in a real browser on a real service: accessible in both colors at both widths, and its search. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
const VIEWS = [
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
] as const;
/** Code and tables, a long list of contents, and a short page with a tree below it. */
const PAGES = ["operations", "webhooks", "decisions/0002-embedded-postgresql"];
/** Long names in tables, many columns, blocks of code that are tabs on a screen, drawings. */
const PRINTED = ["reference/settings", "reference/metrics", "reliability", "reference/api", "concepts"];
/** Many columns, or long names in them: on a screen of 1280 px nothing of them is behind a scroll bar. */
const WIDE = [
  "reliability",
  "performance",
  "reference/metrics",
  "reference/api/connections",
  "why",
  "recipes/from-other-systems",
];
/** Between the margins of a sheet of A4, in pixels of CSS. */
const PAPER_WIDTH = 680;
/** The rules of WCAG 2.2 A and AA, and what axe calls best practice. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Only colors differ in the dark. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

let guide: string;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "../../tools/docs/site/build.ts")]);
  const { url } = await startTestService({ ROWMILL_ROLE: "api" });
  guide = `${url}/guide/`;
});
afterAll(() => closePages(browser));

async function newPage(options: { javaScriptEnabled?: boolean } = {}): Promise<{ page: Page; errors: string[] }> {
  if (browser === undefined) throw new Error("there is no browser");
  const page = await (await openContext(browser, options)).newPage();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}

test.skipIf(browser === undefined)("tables with many columns fit beside the tree on a screen of 1280 px", async () => {
  const { page } = await newPage();
  await page.setViewportSize({ width: 1280, height: 900 });
  const wider: string[] = [];
  for (const name of WIDE) {
    await page.goto(guide + name);
    const tables = await page.evaluate(`Array.from(document.querySelectorAll(".scroll"))
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map((one) => one.textContent.trim().slice(0, 30) + ": " + one.scrollWidth + " px")`);
    wider.push(...(tables as string[]).map((table) => `${name}: ${table}`)); // the script above makes texts
  }
  expect(wider).toEqual([]);
});

test.skipIf(browser === undefined)(
  "pages are accessible, nothing of them is wider than a phone, and the policy forbids nothing",
  async () => {
    const { page, errors } = await newPage();
    const found: string[] = [];
    for (const name of PAGES) {
      await page.goto(guide + name);
      await page.evaluate(axe.source);
      for (const [width, colorScheme] of VIEWS) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const options = {
          runOnly: colorScheme === "light" ? TAGS : COLOR_RULES,
          resultTypes: ["violations"],
          preload: false,
        };
        const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
        for (const { id, nodes } of violations)
          found.push(
            `${name}, ${colorScheme}, ${width}: ${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
          );
        expect([name, width, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([
          name,
          width,
          width,
        ]);
      }
    }
    expect(found).toEqual([]);
    expect(errors).toEqual([]);
  },
);

test.skipIf(browser === undefined)(
  "the search opens by a key, finds sections, and leads to one by the keyboard alone",
  async () => {
    const { page, errors } = await newPage();
    await page.goto(`${guide}decisions/0002-embedded-postgresql`);
    await page.keyboard.press("/");
    await page.keyboard.type("embedded postgresql");
    await page.locator("dialog .hits mark").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("backup restore");
    await page.locator("dialog .hits a", { hasText: "backup" }).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith("/0002-embedded-postgresql"));
    await page.goto(`${guide}no/such/webhooks`);
    await page.locator("#search-here .hits a").first().waitFor();
    // A browser reports the missing page itself.
    expect(errors.filter((error) => !error.includes("404"))).toEqual([]);
  },
);

test.skipIf(browser === undefined)(
  "the theme that is chosen stays; without JavaScript a page is whole and its tree opens",
  async () => {
    const { page } = await newPage();
    await page.goto(`${guide}operations`);
    await page.locator("#theme").click();
    await page.locator("#theme").click();
    await page.goto(`${guide}webhooks`);
    expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
    expect(await page.locator("#theme").getAttribute("aria-label")).toBe("Colors: dark");

    const { page: plain } = await newPage({ javaScriptEnabled: false });
    await plain.setViewportSize({ width: 390, height: 844 });
    await plain.goto(`${guide}operations`);
    expect(await plain.locator("#find").isVisible()).toBe(false);
    await plain.locator("#tree summary").click();
    await plain.locator('#tree a[href="webhooks"]').click();
    await plain.waitForURL(/\/guide\/webhooks$/);
  },
);

test.skipIf(browser === undefined)(
  "on paper nothing is cut off, what is there for the mouse is gone, and the dark stays on the screen",
  async () => {
    const { page } = await newPage();
    await page.setViewportSize({ width: PAPER_WIDTH, height: 970 });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const name of PRINTED) {
      await page.goto(guide + name);
      expect([name, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([name, PAPER_WIDTH]);
      expect(await page.locator(".top, .tree, .contents, .code button").filter({ visible: true }).count()).toBe(0);
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
      // Each language of the tabs.
      for (const panel of await page.locator(".tabs > div").all()) expect(await panel.isVisible()).toBe(true);
    }
  },
);
