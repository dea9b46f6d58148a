import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";

/** In the page: what was inserted, for a test that looks when it is gone. */
const REMEMBER = `globalThis.said = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) said.push(node.textContent);
}).observe(document, { childList: true, subtree: true });`;

/** Short words about what has just happened stand for six seconds: a busy machine may look later. For pages that are opened from now on. */
export async function rememberToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(REMEMBER);
}

/** Since the page was loaded. */
export const saidOn = (page: Page): Promise<string> => page.evaluate("said.join('|')");

export async function untilSaid(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => saidOn(page)).toMatch(text);
}
