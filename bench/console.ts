/**
 * What somebody waits for in the console, in a real browser on a real service: the page of a run of a million rows until its rows
 * can be read, a jump to the end of its grid, and then a tab that shows a run of which a thousand rows a second end: frames, long
 * tasks, clicks, and its memory after a collection, each minute. A second tab shows the list of runs, to which a small run comes
 * every few seconds. The browser has no window and no graphics card here: the processor that the service runs on draws the frames.
 *
 *     npm run bench console -- [--rows 1000000] [--rounds 7] [--minutes 5] [--rate 1000]
 *
 * `--rounds 0` leaves out the first part, `--minutes 0` the second one; `--rounds 0 --minutes 60` is the memory over an hour.
 */
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openInstalledBrowser } from "../tests/console/browser.ts";
import { PACE_DELAY_MS, holdPace, startingConcurrency } from "./console/pace.ts";
import { openDevtools, readMemory, timeClick, watchFrames } from "./console/tab.ts";
import type { Memory } from "./console/tab.ts";
import { median, quantile, slope, verdict } from "./support/measure.ts";
import { benchJsonl } from "./support/rows.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "7" },
    minutes: { type: "string", default: "5" },
    rate: { type: "string", default: "1000" },
  },
});
const rowCount = Number(options.rows);
const roundCount = Number(options.rounds);
const minutes = Number(options.minutes);
const rate = Number(options.rate);
/** Rows that end before the first minute begins, and in the last one: the run must not end before the measurement. */
const SPARE_MINUTES = 2;
const liveRows = minutes === 0 ? 0 : Math.ceil((minutes + SPARE_MINUTES) * 60 * rate * 1.1);
const PAINT_MS = 1_000;
const JUMP_MS = 300;
/** What people take for "at once" (RAIL): a tab that responds within this is responsive. */
const RESPONSIVE_MS = 100;
/** Growth that a flat memory may show: collections do not end at the same byte. */
const FLAT = 1.15;
const SETTLE_MS = 30_000;
/** Of each minute; watching frames is itself work. */
const WATCHED_MS = 20_000;
const SMALL_RUN_EVERY_MS = 10_000;
const jumpTo = Math.floor(rowCount * 0.999);

// Only where its sources have changed.
execFileSync(process.execPath, [fileURLToPath(new URL("../packages/console/build.ts", import.meta.url))]);
const folder = makeGuardedFolder("rowmill-bench-console-");
const service = await startBenchService({
  ROWMILL_DATA_DIR: folder,
  ROWMILL_WORKER_CONCURRENCY: "2",
  ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
});
const browser = await openInstalledBrowser();
try {
  if (browser === undefined) throw new Error("There is no browser here: name one with CHROMIUM_PATH.");
  console.log(
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} x ${cpus()[0]?.model ?? "?"}, load ${load()}`,
  );
  const dataset = await service.rowmill.datasets.upload({
    name: "Rows",
    content: benchJsonl(Math.max(rowCount, liveRows)),
    filename: "rows.jsonl",
  });
  if (roundCount > 0) await measureVisits(browser, dataset.id);
  if (minutes > 0) await measureLive(browser, dataset.id);
} finally {
  await browser?.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(", ");
}

async function measureVisits(from: Browser, datasetId: string): Promise<void> {
  const { rowmill } = service;
  const mock = await rowmill.jobSpecs.create({ name: "Echo", processor: { type: "mock", failEvery: 1000 } });
  const scope = { type: "limit", count: rowCount } as const;
  const run = await rowmill.runs.create({ datasetId, jobSpecId: mock.id, scope });
  await rowmill.runs.waitFor(run.id, { pollSeconds: 5 });
  console.log(
    `a run of ${rowCount} rows, ${roundCount} rounds, each with an empty cache; milliseconds: median (worst)`,
  );
  const rounds: Visit[] = [];
  for (let round = 0; round < roundCount; round++) rounds.push(await visit(from, run.id));
  const valuesOf = (name: keyof Visit): number[] => rounds.map((measured) => measured[name]);
  show("first contentful paint", valuesOf("paintMs"), PAINT_MS);
  show("rows on the screen", valuesOf("rowsMs"), PAINT_MS);
  show(`grid jump to row ${jumpTo}`, valuesOf("jumpMs"), JUMP_MS);
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

/** In the page: when something was drawn first. A browser writes that down after the frame, which may be later than the rows are found. */
function firstPaint(): string {
  return `new Promise((resolve) => {
  const look = () => {
    const [entry] = performance.getEntriesByName("first-contentful-paint");
    if (entry === undefined) requestAnimationFrame(look);
    else resolve(entry.startTime);
  };
  look();
})`;
}

interface Visit {
  paintMs: number;
  rowsMs: number;
  jumpMs: number;
}

async function visit(from: Browser, runId: string): Promise<Visit> {
  const context = await signedIn(from);
  const page = await context.newPage();
  await page.goto(`${service.url}/runs/${runId}`, { waitUntil: "commit" });
  const rowsMs = Number(await page.evaluate(rowShown(0)));
  const paintMs = Number(await page.evaluate(firstPaint()));
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

/** A tab that shows a run at work, and one with the list of runs beside it. */
async function measureLive(from: Browser, datasetId: string): Promise<void> {
  const { rowmill } = service;
  const slow = await rowmill.jobSpecs.create({
    name: "Slow echo",
    processor: { type: "mock", delayMs: PACE_DELAY_MS, failEvery: 1000 },
  });
  const run = await rowmill.runs.create({
    datasetId,
    jobSpecId: slow.id,
    scope: { type: "limit", count: liveRows },
    concurrency: startingConcurrency(rate),
  });
  const pace = holdPace(rowmill, run.id, rate);
  const context = await signedIn(from);
  const page = await openPage(context, `/runs/${run.id}`);
  const list = await openPage(context, "/runs");
  await page.evaluate(rowShown(0));
  const smallRuns = setInterval(() => {
    const small = { datasetId, jobSpecId: slow.id, scope: { type: "limit", count: 3 } } as const;
    rowmill.runs.create(small).catch((error: unknown) => console.error("a small run was not made", error));
  }, SMALL_RUN_EVERY_MS);
  try {
    await page.waitForTimeout(SETTLE_MS);
    await watchMinutes({ page, list, context, ended: () => pace.ended() });
  } finally {
    clearInterval(smallRuns);
    await pace.stop();
    await rowmill.runs.cancel(run.id);
    await context.close();
  }
}

interface Watched {
  page: Page;
  list: Page;
  context: BrowserContext;
  ended: () => Promise<number>;
}

async function watchMinutes({ page, list, context, ended }: Watched): Promise<void> {
  const [own, other] = [await openDevtools(context, page), await openDevtools(context, list)];
  const memories: { page: Memory; list: Memory }[] = [];
  const [frames, clicks, rates]: [number[], number[], number[]] = [[], [], []];
  let longTasks = 0;
  console.log(
    "minute  rows/s  frames 50/95/99 % and worst, ms  long tasks  click, ms  KB (nodes, listeners) of the run's tab and of the list's  load",
  );
  for (let minute = 1; minute <= minutes; minute++) {
    const from = { at: performance.now(), ended: await ended() };
    const watched = await watchFrames(page, WATCHED_MS);
    frames.push(...watched.frames);
    longTasks += watched.longTasks;
    const click = Math.max(await timeClick(page, "Failures"), await timeClick(page, "Rows"));
    clicks.push(click);
    await page.waitForTimeout(Math.max(0, 60_000 - (performance.now() - from.at)));
    const rowsPerSecond = ((await ended()) - from.ended) / ((performance.now() - from.at) / 1_000);
    rates.push(rowsPerSecond);
    const memory = { page: await readMemory(own), list: await readMemory(other) };
    memories.push(memory);
    console.log(
      `${minute}  ${rowsPerSecond.toFixed(0)}  ${describeFrames(watched.frames)}  ${watched.longTasks}  ${click.toFixed(0)}  ` +
        `${describeMemory(memory.page)}  ${describeMemory(memory.list)}  ${load()}`,
    );
  }
  console.log(
    `live updates: median ${median(rates).toFixed(0)} rows a second, least ${Math.min(...rates).toFixed(0)}, for ${minutes} minutes`,
  );
  console.log(
    `frame times, ms: ${describeFrames(frames)}; ${longTasks} tasks over 50 ms   ${verdict(quantile(frames, 0.99) <= RESPONSIVE_MS, `99 % within ${RESPONSIVE_MS} ms`)}`,
  );
  console.log(
    `click to the screen, ms: median ${median(clicks).toFixed(0)}, worst ${Math.max(...clicks).toFixed(0)}   ${verdict(median(clicks) <= RESPONSIVE_MS, `median within ${RESPONSIVE_MS} ms`)}`,
  );
  for (const name of ["page", "list"] as const) {
    // Medians: what a single collection leaves depends on the moment.
    const bytes = memories.map((memory) => memory[name].bytes);
    const part = Math.max(1, Math.floor(bytes.length / 5));
    const [first, last] = [median(bytes.slice(0, part)), median(bytes.slice(-part))];
    console.log(
      `memory of the ${name === "page" ? "run's tab" : "list's tab"}: ${kilobytes(first)} in the first fifth, ${kilobytes(last)} in the last, most ${kilobytes(Math.max(...bytes))}   ` +
        verdict(last <= first * FLAT, `flat, at most ${FLAT}x`),
    );
    // The line through all minutes: a loss that is small in a minute shows in an hour.
    if (bytes.length > 1) console.log(`  its slope: ${(slope(bytes) / 1024).toFixed(1)} KB a minute`);
  }
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KB`;
}

function describeMemory({ bytes, nodes, listeners }: Memory): string {
  return `${Math.round(bytes / 1024)} (${nodes}, ${listeners})`;
}

function describeFrames(frames: readonly number[]): string {
  return [0.5, 0.95, 0.99, 1].map((q) => quantile(frames, q).toFixed(1)).join("/");
}

async function openPage(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(service.url + path);
  await page.locator("h1").waitFor();
  return page;
}
