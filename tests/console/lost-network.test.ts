/** A file that is on its way while the network is lost: the upload waits, reports it, and goes on by itself. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { openDoorway } from "./doorway.ts";
import type { Doorway } from "./doorway.ts";
import { pressTogether } from "./keys.ts";

const browser: Browser | undefined = await findBrowser();
const ROWS = 9_000;
const content = Buffer.from(
  `n,filler\n${Array.from({ length: ROWS }, (_, i) => `${i},${"x".repeat(1_060)}`).join("\n")}\n`,
);
/** In the second of three pieces. */
const PAUSED_AT = 6_000_000;
let doorway: Doorway;
let context: BrowserContext;

beforeAll(async () => {
  if (browser === undefined) return;
  doorway = await openDoorway();
  const service = await startTestService({ ROWMILL_PUBLIC_URL: doorway.url });
  doorway.upstream = service.url;
  const { apiKey } = await service.newOrganization();
  context = await openContext(browser);
  const headers = { origin: doorway.url };
  await context.request.put(`${doorway.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
});
afterEach(async () => {
  if (browser === undefined) return;
  bringBack();
  await context.setOffline(false);
});
afterAll(async () => {
  await closePages(browser);
  doorway?.close();
});

async function chooseFile(page: Page, name: string): Promise<void> {
  await page.goto(`${doorway.url}/datasets`);
  await page.getByLabel("Choose a file").setInputFiles({ name, mimeType: "text/csv", buffer: content });
}

function bringBack(): void {
  doorway.letsBytesThrough = Infinity;
  doorway.isAway = false;
}

const waits = "The connection is lost. The upload waits";

describe.skipIf(browser === undefined)("an upload goes on by itself after the network", () => {
  test.each([
    [
      "was cut",
      async () => {
        doorway.isAway = true;
        doorway.cut();
      },
    ],
    [
      "was lost without a word",
      async () => {
        doorway.isAway = true;
      },
    ],
    ["was turned off at the browser", () => context.setOffline(true)],
  ])("%s", async (name, lose) => {
    const page = await context.newPage();
    const offsets: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") offsets.push(request.headers()["upload-offset"] ?? "");
    });
    await expect.poll(() => doorway.pausedPieces()).toBe(0);
    doorway.letsBytesThrough = PAUSED_AT;
    await chooseFile(page, `${name}.csv`);
    await expect.poll(() => doorway.pausedPieces()).toBe(1);
    await page.getByText(/^4.2 MB of/).waitFor();
    await lose();
    await page.getByText(waits).waitFor();
    await pressTogether(page, "gd");
    await page.getByText("The connection is lost: waiting").waitFor();
    await page.goBack();
    await page.getByText(waits).waitFor();

    bringBack();
    await context.setOffline(false);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByText("9,000 rows").first().waitFor();
    // The first piece was not sent again.
    expect(offsets.filter((offset) => offset === "0")).toHaveLength(1);
    await page.close();
  });

  test("was away when the file was chosen", async () => {
    const page = await context.newPage();
    await page.goto(`${doorway.url}/datasets`);
    await page.getByRole("heading", { name: "Datasets" }).waitFor();
    doorway.isAway = true;
    doorway.cut();
    const file = { name: "chosen early.csv", mimeType: "text/csv", buffer: Buffer.from("n\n1\n") };
    await page.getByLabel("Choose a file").setInputFiles(file);
    await page.getByText("The upload begins when the service can be reached.").waitFor();
    bringBack();
    await page.getByRole("heading", { name: "chosen early", level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/datasets\/ds_/);
    await page.close();
  });
});
