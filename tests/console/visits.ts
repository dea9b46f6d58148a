/** Visits to screens of the console in one page: each is waited for as long as it asks for something, and no longer. */
import type { Page, Request } from "playwright-core";

/** So long nothing is asked for: what a screen shows first is there. Screens ask again every few seconds at most. */
const QUIET_MS = 120;
const LONGEST_MS = 10_000;
/** In the page: where the console's router puts itself. Its `navigate` ends when the screen is drawn, with its data or without. */
const ROUTER = "self.__TSR_ROUTER__";

export interface Visitor {
  page: Page;
  visit(path: string): Promise<void>;
  /** The same as a link within the console does it, once one is open: the document stays, and what it has compiled. */
  go(path: string): Promise<void>;
  /** Until nothing is asked for. */
  settle(): Promise<void>;
  /** Errors of scripts, and what the browser has written to its console. */
  problems: string[];
}

/** `baseUrl`: the service, in which the page is signed in or not. */
export function visitorOf(page: Page, baseUrl: string): Visitor {
  page.setDefaultTimeout(180_000);
  const problems: string[] = [];
  const open = new Set<Request>();
  let lastEnd = 0;
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${page.url()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    // A stream of events has no end, and that of a worker's script is not reported.
    if (!/\/events\/stream|worker/.test(request.url())) open.add(request);
  });
  const onEnd = (request: Request): void => {
    open.delete(request);
    lastEnd = performance.now();
  };
  page.on("requestfinished", onEnd);
  page.on("requestfailed", onEnd);
  const isQuiet = (): boolean => open.size === 0 && performance.now() - lastEnd > QUIET_MS;
  async function settle(): Promise<void> {
    lastEnd = performance.now();
    const end = lastEnd + LONGEST_MS;
    while (!isQuiet() && performance.now() < end) await page.evaluate("new Promise((done) => setTimeout(done, 40))");
  }
  async function arrive(path: string, leave: () => Promise<unknown>): Promise<void> {
    // What the screen before has asked for is not waited for.
    open.clear();
    await leave();
    await settle();
    // By its tag: behind an open panel the rest of the page is out of reach. That of a screen that waits for its data is hidden.
    const heading = page.locator("h1:visible").first();
    const isThere = (await heading.count()) > 0;
    await heading.waitFor().catch((error: unknown) => {
      throw new Error(`${path} has no heading; ${problems.join("; ")}`, { cause: error });
    });
    // What the screen asks for follows.
    if (!isThere) await settle();
  }
  const visit = (path: string): Promise<void> => arrive(path, () => page.goto(baseUrl + path));
  const step = (path: string): Promise<void> =>
    arrive(path, () => page.evaluate(`${ROUTER}.navigate({ href: ${JSON.stringify(path)} })`));
  return { page, problems, settle, visit, go: (path) => (page.url() === "about:blank" ? visit(path) : step(path)) };
}
