/** A page without a mouse: the keys that somebody presses who sees where the focus is. */
import type { Page } from "playwright-core";

/** More than any screen has. */
const MAX_STOPS = 120;
/** In the page: what the place with the focus is called. An editor is inside a shadow root. */
const NAME_OF_FOCUS = `(() => {
  const outer = document.activeElement;
  const focus = outer?.shadowRoot?.activeElement ?? outer;
  return (focus?.labels?.[0] ?? focus)?.getAttribute("aria-label") || (focus?.labels?.[0] ?? focus)?.textContent || "";
})()`;

export interface Keys {
  press: (...keys: string[]) => Promise<void>;
  /** Goes on by Tab until the focus is on what has this name. */
  tabTo: (name: RegExp) => Promise<void>;
  /** The same, and writes there in place of what stands there. */
  write: (name: RegExp, text: string) => Promise<void>;
}

export function keysOf(page: Page): Keys {
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      await press("Tab");
      if (name.test(String(await page.evaluate(NAME_OF_FOCUS)).trim())) return;
    }
    throw new Error(`the focus never came to ${name.source}`);
  };
  const write = async (name: RegExp, text: string): Promise<void> => {
    await tabTo(name);
    await press("Control+a");
    await page.keyboard.type(text);
  };
  return { press, tabTo, write };
}

/** In one go: before the screen shows what the first has done, and without the time that a slow machine needs between two of them. */
export const pressTogether = (page: Page, keys: string): Promise<void> =>
  page.evaluate(`{
    for (const key of ${JSON.stringify(keys)})
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true }));
  }`);
