/**
 * `npm run pictures`: the console with work in it, photographed for `docs/console.md`. With `--all`, every screen in both colors and
 * at both widths, into the folder that follows (for looking at them, not for the docs); with a pattern behind it, those whose names match.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Rowmill } from "@rowmill/client";
import { openInstalledBrowser } from "./browser.ts";
import { endedScreens, momentsOf, operatorScreens, screensOf } from "./screens.ts";
import { visitorOf } from "./visits.ts";
import type { Visitor } from "./visits.ts";
import { fillWorld } from "./fill-world.ts";
import { startModel } from "./house-model.ts";

const root = join(import.meta.dirname, "..", "..");
const at = process.argv.indexOf("--all");
const isAll = at !== -1;
const folder = isAll ? (process.argv[at + 1] ?? join(tmpdir(), "rowmill-pictures")) : join(root, "docs", "images");
const wanted = new RegExp(isAll ? (process.argv[at + 2] ?? "") : "");
const adminKey = "rma_pictures0123456789";

/** Wheels that turn while something is read or counted, and gray lines in place of values. */
const EXPECTED = "[role=status] .animate-spin, button > .animate-spin, [role=grid] [aria-hidden].bg-raised";
const IS_DRAWN = `document.fonts.ready.then(() => document.querySelector(${JSON.stringify(EXPECTED)}) === null)`;

mkdirSync(folder, { recursive: true });
const dataDirectory = mkdtempSync(join(tmpdir(), "rowmill-pictures-"));
const model = await startModel();
const service = spawn(process.execPath, ["--conditions=@rowmill/source", join(root, "packages/server/src/main.ts")], {
  cwd: dataDirectory,
  env: {
    ...process.env,
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_DATA_DIR: dataDirectory,
    ROWMILL_ADMIN_KEY: adminKey,
    ROWMILL_MODE: "development",
    ROWMILL_CHUNK_ROWS: "25",
    ROWMILL_LOG_LEVEL: "error",
  },
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
try {
  const [{ url }] = (await once(service, "message")) as [{ url: string }];
  const admin = new Rowmill({ baseUrl: url, apiKey: adminKey });
  const organization = await admin.organizations.create({ name: "Alpenrand Outfitters" });
  const { key = "" } = await admin.organizations.apiKeys.create(organization.id, { name: "Pictures", scopes: ["*"] });
  const empty = await admin.organizations.create({ name: "New here" });
  const { key: emptyKey = "" } = await admin.organizations.apiKeys.create(empty.id, {
    name: "Pictures",
    scopes: ["*"],
  });
  const world = await fillWorld(url, key, model.origin, Number(process.env["ROWS"] ?? 5000));
  const screens = [...screensOf(world), ...(isAll ? momentsOf(world) : [])];
  for (const [theme, width] of isAll
    ? ([
        ["light", 1280],
        ["dark", 1280],
        ["light", 390],
        ["dark", 390],
      ] as const)
    : ([["light", 1280]] as const)) {
    for (const [name, apiKey, list] of [
      ["", key, screens],
      ["empty-", emptyKey, isAll ? screens.filter(({ isList }) => isList === true) : []],
      ["reader-", world.readOnlyKey, isAll ? screens.filter(({ isList }) => isList === true) : []],
      ["operator-", adminKey, isAll ? operatorScreens : []],
      ["", key, isAll ? endedScreens : []],
    ] as const) {
      const shown = list.filter((screen) =>
        isAll ? wanted.test(`${name}${screen.name}-${theme}-${width}`) : screen.isInDocs === true,
      );
      if (shown.length === 0) continue;
      // One for each: a browser that has drawn a hundred pages is no measure for the next.
      const browser = await openInstalledBrowser();
      if (browser === undefined) throw new Error("There is no browser here: name one with CHROMIUM_PATH.");
      const context = await browser.newContext({
        viewport: { width, height: width === 390 ? 844 : 860 },
        colorScheme: theme,
        deviceScaleFactor: 1,
      });
      const visitor = visitorOf(await context.newPage(), url);
      if (isAll && list === screens && wanted.test(`sign-in-${theme}-${width}`)) {
        await visitor.visit("/sign-in");
        await picture(visitor, `sign-in-${theme}-${width}`);
      }
      await context.request.put(`${url}/v1/session`, { data: { by: "api_key", apiKey }, headers: { origin: url } });
      for (const screen of shown) {
        await visitor.visit(screen.path);
        await screen.prepare?.(visitor.page);
        await picture(visitor, isAll ? `${name}${screen.name}-${theme}-${width}` : screen.name);
      }
      for (const problem of visitor.problems) console.error(problem);
      await browser.close();
    }
  }
} finally {
  service.kill("SIGTERM");
  await once(service, "exit");
  model.server.close();
  rmSync(dataDirectory, { recursive: true, force: true });
}

async function picture(visitor: Visitor, name: string): Promise<void> {
  await visitor.settle();
  await visitor.page.waitForFunction(IS_DRAWN);
  await visitor.page.screenshot({ path: join(folder, `${name}.png`), fullPage: isAll });
}
