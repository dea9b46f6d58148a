/**
 * What somebody waits for in the console, in a real browser on a real service: the page of a run of a million rows until its rows
 * can be read, a jump to the end of its grid, frames and long tasks while a thousand rows a second end, and the memory of the tab
 * meanwhile. The browser has no window and no graphics card here: frames are drawn by the processor that the service runs on.
 *
 *     node --conditions=@rowmill/source bench/console.ts [rows] [minutes of live updates]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { openBrowser } from "../tests/console/browser.ts";
import { megabytes, median, quantile, verdict } from "./support/measure.ts";
import { benchJsonl } from "./support/rows.ts";
import { startBenchService } from "./support/service.ts";

const rowCount = Number(process.argv[2] ?? 1_000_000);
const minutes = Number(process.argv[3] ?? 5);
const ROUNDS = 7;
const PAINT_MS = 1_000;
const JUMP_MS = 300;
/** What people take for "at once" (RAIL): a tab that answers within this is responsive. */
const RESPONSIVE_MS = 100;
/** Growth that a flat memory may show: collections do not end at the same byte. */
const FLAT = 1.15;
/** A hundred rows in flight that take a tenth of a second each. */
const LIVE = { concurrency: 100, delayMs: 100 };
const SETTLE_MS = 20_000;
const jumpTo = Math.floor(rowCount * 0.999);

const folder = await mkdtemp(join(tmpdir(), "rowmill-bench-console-"));
const service = await startBenchService({ ROWMILL_DATA_DIR: folder, ROWMILL_WORKER_CONCURRENCY: "2" });
const browser = await openBrowser();
try {
  if (browser === undefined) throw new Error("There is no browser here: name one with CHROMIUM_PATH.");
  const { rowmill } = service;
  const dataset = await rowmill.datasets.upload({
    name: "Rows",
    content: benchJsonl(rowCount),
    filename: "rows.jsonl",
  });
  const mock = await rowmill.jobSpecs.create({ name: "Echo", processor: { type: "mock", failEvery: 1000 } });
  const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: mock.id, scope: { type: "all" } });
  await rowmill.runs.waitFor(run.id, { pollSeconds: 5 });
  console.log(`a run of ${rowCount} rows, ${ROUNDS} rounds, each with an empty cache; milliseconds: median (worst)`);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await visit(browser, run.id));
  show(
    "first contentful paint",
    rounds.map(({ paintMs }) => paintMs),
    PAINT_MS,
  );
  show(
    "rows on the screen",
    rounds.map(({ rowsMs }) => rowsMs),
    PAINT_MS,
  );
  show(
    `grid jump to row ${jumpTo}`,
    rounds.map(({ jumpMs }) => jumpMs),
    JUMP_MS,
  );

  const slow = await rowmill.jobSpecs.create({ name: "Slow echo", processor: { type: "mock", delayMs: LIVE.delayMs } });
  const live = await rowmill.runs.create({
    datasetId: dataset.id,
    jobSpecId: slow.id,
    scope: { type: "all" },
    concurrency: LIVE.concurrency,
  });
  await follow(browser, live.id);
  await rowmill.runs.cancel(live.id);
} finally {
  await browser?.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

function show(what: string, values: readonly number[], targetMs: number): void {
  const [middle, worst] = [median(values), Math.max(...values)];
  console.log(
    `${what.padEnd(32)} ${middle.toFixed(0)} (${worst.toFixed(0)})   ${verdict(middle <= targetMs, `at most ${targetMs} ms`)}`,
  );
}

async function signedIn(from: Browser): Promise<BrowserContext> {
  const context = await from.newContext({ viewport: { width: 1280, height: 900 } });
  const admin = { origin: service.url };
  const response = await context.request.put(`${service.url}/v1/session`, {
    data: { by: "api_key", apiKey: service.apiKey },
    headers: admin,
  });
  if (!response.ok()) throw new Error(await response.text());
  return context;
}

/** In the page: the time at which a row from `index` on shows its output. */
function rowShown(index: number): string {
  return `new Promise((resolve) => {
  const look = () => {
    for (const row of document.querySelectorAll('[role="row"]')) {
      const cells = row.querySelectorAll('[role="gridcell"]');
      const at = Number((cells[0]?.textContent ?? "").replaceAll(",", ""));
      if (cells.length > 3 && cells[0].textContent !== "" && at >= ${index} && /[{a-z]/.test(cells[3].textContent)) return resolve(performance.now());
    }
    requestAnimationFrame(look);
  };
  look();
})`;
}

async function visit(from: Browser, runId: string): Promise<{ paintMs: number; rowsMs: number; jumpMs: number }> {
  const context = await signedIn(from);
  const page = await context.newPage();
  await page.goto(`${service.url}/runs/${runId}`, { waitUntil: "commit" });
  const rowsMs = Number(await page.evaluate(rowShown(0)));
  const paintMs = Number(await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`));
  await page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => undefined);
  const jumpMs = Number(
    await page.evaluate(`(async () => {
      const grid = document.querySelector('[role="grid"]');
      const from = performance.now();
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${jumpTo / rowCount};
      return (await ${rowShown(Math.floor(jumpTo * 0.99))}) - from;
    })()`),
  );
  await context.close();
  return { paintMs, rowsMs, jumpMs };
}

/** Frames, long tasks and memory of a tab that shows a run at work. */
async function follow(from: Browser, runId: string): Promise<void> {
  const context = await signedIn(from);
  const page = await context.newPage();
  await page.goto(`${service.url}/runs/${runId}`);
  await page.evaluate(rowShown(0));
  await page.waitForTimeout(SETTLE_MS);
  const devtools = await context.newCDPSession(page);
  const before = await service.rowmill.runs.get(runId);
  const startedAt = performance.now();
  const heaps = [await heapOf(devtools)];
  const frames: number[] = [];
  let longTasks = 0;
  for (let minute = 0; minute < minutes; minute++) {
    const measured = await measureFrames(page, 60_000);
    frames.push(...measured.frames);
    longTasks += measured.longTasks;
    heaps.push(await heapOf(devtools));
  }
  const after = await service.rowmill.runs.get(runId);
  const perSecond = (after.rows.succeeded - before.rows.succeeded) / ((performance.now() - startedAt) / 1000);
  const late = quantile(frames, 0.99);
  console.log(`live updates: ${perSecond.toFixed(0)} rows a second for ${minutes} minutes`);
  console.log(
    `frame times, ms                  median ${median(frames).toFixed(1)}, 95 % ${quantile(frames, 0.95).toFixed(1)}, 99 % ${late.toFixed(1)}, ` +
      `worst ${Math.max(...frames).toFixed(0)}, ${longTasks} tasks over 50 ms   ${verdict(late <= RESPONSIVE_MS, `99 % within ${RESPONSIVE_MS} ms`)}`,
  );
  const [first, last] = [heaps[0]?.bytes ?? 0, heaps.at(-1)?.bytes ?? 0];
  console.log(
    `memory after a collection        ${heaps.map(({ bytes }) => megabytes(bytes)).join(", ")}; DOM nodes ${heaps.map(({ nodes }) => nodes).join(", ")}   ` +
      verdict(last <= first * FLAT, `flat, at most ${FLAT}x`),
  );
  await context.close();
}

async function measureFrames(page: Page, ms: number): Promise<{ frames: number[]; longTasks: number }> {
  return (await page.evaluate(`new Promise((resolve) => {
    const frames = [];
    let longTasks = 0;
    const observer = new PerformanceObserver((list) => { longTasks += list.getEntries().length; });
    observer.observe({ entryTypes: ["longtask"] });
    const end = performance.now() + ${ms};
    let last = performance.now();
    const frame = (now) => {
      frames.push(now - last);
      last = now;
      if (now < end) return requestAnimationFrame(frame);
      observer.disconnect();
      resolve({ frames, longTasks });
    };
    requestAnimationFrame(frame);
  })`)) as { frames: number[]; longTasks: number };
}

async function heapOf(devtools: CDPSession): Promise<{ bytes: number; nodes: number }> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes } = await devtools.send("Memory.getDOMCounters");
  return { bytes: usedSize, nodes };
}
