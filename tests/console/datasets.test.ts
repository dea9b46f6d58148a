/** A file that is looked at, one that is rejected, and one whose page is reloaded while it is sent. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let page: Page;
let rowmill: Rowmill;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  const { apiKey } = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  const context = await openContext(browser);
  const headers = { origin: service.url };
  await context.request.put(`${service.url}/v1/session`, { data: { by: "api_key", apiKey }, headers });
  page = await context.newPage();
});
afterAll(() => closePages(browser));

async function choose(name: string, text: string | Buffer): Promise<void> {
  await page.goto(`${service.url}/datasets`);
  await page
    .getByLabel("Choose a file")
    .setInputFiles({ name, mimeType: "text/csv", buffer: typeof text === "string" ? Buffer.from(text) : text });
}

/** Over the element, and then on it; whether the browser is kept from showing the file. */
const drop = (selector: string, files: Record<string, string>): Promise<boolean> =>
  page.evaluate<boolean>(`{
    const dataTransfer = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)}))
      dataTransfer.items.add(new File([text], name, { type: "text/csv" }));
    const options = { bubbles: true, cancelable: true, dataTransfer };
    const element = document.querySelector(${JSON.stringify(selector)});
    element.dispatchEvent(new DragEvent("dragover", options));
    !element.dispatchEvent(new DragEvent("drop", options));
  }`);

/** A screen is in sight a moment before it takes files. Two at once are refused by what would take one. */
async function untilFilesAreTaken(): Promise<void> {
  const refusal = page.getByText("Nothing was uploaded: drop one file at a time.");
  await expect
    .poll(async () => {
      await drop("h1", { "first.csv": "n\n1\n", "second.csv": "n\n2\n" });
      return refusal.count();
    })
    .toBeGreaterThan(0);
}

describe.skipIf(browser === undefined)("a file", () => {
  test("is taken from wherever it is dropped on the screen, alone, and never opened by the browser", async () => {
    await page.goto(`${service.url}/`);
    await page.getByRole("heading", { name: "Welcome to Rowmill" }).waitFor();
    await untilFilesAreTaken();
    expect(await drop("h1", { "dropped on home.csv": "n\n1\n" })).toBe(true);
    await page.getByRole("heading", { name: "dropped on home", level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/datasets\/ds_/);
    // On a dataset, nothing takes files.
    const dataset = page.url();
    expect(await drop("h1", { "third.csv": "n\n3\n" })).toBe(true);
    expect(page.url()).toBe(dataset);
    await page.goto(`${service.url}/datasets`);
    await page.getByRole("heading", { name: "Datasets" }).waitFor();
    await untilFilesAreTaken();
    expect(await drop("nav", { "dropped on the navigation.csv": "n\n1\n" })).toBe(true);
    await page.getByRole("heading", { name: "dropped on the navigation", level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/datasets\/ds_/);
    expect((await rowmill.datasets.list()).data.map(({ name }) => name)).toEqual([
      "dropped on the navigation",
      "dropped on home",
    ]);
    expect((await rowmill.datasetUploads.list()).data).toHaveLength(2);
  });

  test("is read as its sender chooses: without a header, with another delimiter, without bad rows; also at the second try", async () => {
    const choices: [string, string][] = [
      ["First line of a table", "Is a row"],
      ["Delimiter of a table", "Bar"],
    ];
    await page.goto(`${service.url}/datasets`);
    await page.getByText("How the file is read").click();
    for (const [label, choice] of choices)
      await page.getByRole("group", { name: label }).getByText(choice, { exact: true }).click();
    const file = { name: "headless.csv", mimeType: "text/csv", buffer: Buffer.from("Ann;1|7\nBob;2\nEve;3|9\n") };
    await page.getByLabel("Choose a file").setInputFiles(file);
    await page.getByRole("button", { name: "Upload again, without the bad rows" }).click();
    await page.getByText("2 rows became a dataset. 1 row could not be read and was left out.").waitFor();
    await page.getByRole("link", { name: "Open the dataset" }).click();
    await page.getByRole("heading", { name: "headless", level: 1 }).waitFor();
    const { data } = await rowmill.datasets.list({ name: "headless" });
    const rows = await rowmill.datasets.rows(data.find(({ state }) => state === "ready")?.id ?? "");
    expect(rows.data.map((row) => row.data)).toEqual([
      { column_1: "Ann;1", column_2: 7 },
      { column_1: "Eve;3", column_2: 9 },
    ]);
  });

  test("that is dropped on an editor becomes its text", async () => {
    await page.goto(`${service.url}/job-specs/new`);
    await page.getByText("Run a function", { exact: true }).click();
    const editor = page.locator('[data-editor="javascript"] [contenteditable="true"]');
    await editor.waitFor();
    const folder = await mkdtemp(join(tmpdir(), "rowmill-drop-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "function.js");
    await writeFile(path, "// dropped as a file\n");
    // As a person does: an element that takes nothing while the file is over it gets no drop.
    const debug = await page.context().newCDPSession(page);
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    // What is loaded above the editor may move it.
    await expect
      .poll(async () => {
        await editor.scrollIntoViewIfNeeded();
        const box = await editor.boundingBox();
        if (box === null) return 0;
        const at = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 20) };
        for (const type of ["dragEnter", "dragOver", "drop"] as const)
          await debug.send("Input.dispatchDragEvent", { type, ...at, data });
        return editor.getByText("// dropped as a file").count();
      })
      .toBeGreaterThan(0);
    expect(new URL(page.url()).pathname).toBe("/job-specs/new");
    await debug.detach();
  });

  test("shows how the values of its columns are distributed", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `${i % 7},${i % 3 === 0 ? "" : "red"},2026-01-${10 + (i % 9)}`);
    await choose("colors.csv", `size,color,day\n${lines.join("\n")}\n`);
    await page.getByRole("heading", { name: "colors", level: 1 }).waitFor();
    await page.getByRole("img", { name: /^Distribution in 7 bins; most values lie from 0 to 1/ }).waitFor();
    await page.getByText("missing in 20 (33.3%)").waitFor();
    await page.getByRole("listitem").filter({ hasText: "color" }).getByText("66.7%").waitFor();
    await page.getByRole("img", { name: /^Distribution in 9 bins; most values lie from 2026-01-10/ }).waitFor();
    expect(await page.getByRole("img", { name: /^Distribution/ }).count()).toBe(2);
  });

  test("that cannot be read shows its lines, and is read without them", async () => {
    await choose("orders.csv", "id,amount\n1,20\n2,30,extra\n3,40\n");
    await page.getByText("The file did not become a dataset.").waitFor();
    const line = page.getByRole("listitem").filter({ hasText: "Line 3" });
    await line.getByText("2,30,extra", { exact: true }).waitFor();
    await page.reload();
    await line.getByText("2,30,extra", { exact: true }).waitFor();
    await page.getByText("The same file once more: the rows of these lines are left out.").waitFor();
    await choose("orders.csv", "id,amount\n1,20\n2,30,extra\n3,40\n");
    await page.getByRole("button", { name: "Upload again, without the bad rows" }).click();
    await page.getByText("2 rows became a dataset. 1 row could not be read and was left out.").waitFor();
    expect(await page.getByRole("link", { name: "Open the dataset" }).count()).toBe(1);
  });

  test("as a spreadsheet writes it is read in its encoding; one without rows offers nothing", async () => {
    await choose("staedte.csv", Buffer.from("id;city\n1;K\u00f6ln\n", "latin1"));
    await page.getByRole("button", { name: "Read it as Windows-1252" }).click();
    await page.getByRole("gridcell", { name: "K\u00f6ln" }).waitFor();
    await choose("header.csv", "id,id\n1,2\n");
    await page.getByText("id,id", { exact: true }).waitFor();
    await page.getByText("Nothing was kept of it. Correct it, and upload it again.").waitFor();
    expect(await page.getByRole("button", { name: /^Upload again|^Read it/ }).count()).toBe(0);
    await choose("empty.csv", "id,name\n");
    await page.getByText("The file holds no rows.").first().waitFor();
    expect(await page.getByRole("button", { name: /^Upload again|^Read it/ }).count()).toBe(0);
  });

  test("goes on after a reload when it is chosen again", async () => {
    const text = `n,filler\n${Array.from({ length: 90_000 }, (_, i) => `${i},${"x".repeat(100)}`).join("\n")}\n`;
    const pieces: string[] = [];
    let mayPass = 1;
    await page.route(/content\/resumable/, async (route) => {
      const request = route.request();
      if (request.method() !== "PATCH") return route.continue();
      if (mayPass-- <= 0) return route.abort();
      pieces.push(request.headers()["upload-offset"] ?? "");
      return route.continue();
    });
    await choose("large.csv", text);
    await page.getByText(/^4.2 MB of/).waitFor();
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText("This upload is waiting for its file.").waitFor();
    // Not before: the page that was left would have sent the rest.
    mayPass = Infinity;
    await page.getByLabel("Choose a file").setInputFiles({
      name: "large.csv",
      mimeType: "text/csv",
      buffer: typeof text === "string" ? Buffer.from(text) : text,
    });
    await page.getByRole("heading", { name: "large", level: 1 }).waitFor();
    await page.getByText("90,000 rows").first().waitFor();
    // The first piece was not sent again.
    expect(pieces.filter((offset) => offset === "0").length).toBe(1);
  });

  test("of unknown size shows what it counts toward the storage, and can be canceled", async () => {
    const stored = async (): Promise<number> =>
      (await rowmill.organizations.get((await rowmill.session.get()).organizationId ?? "")).usage.storageBytes;
    const before = await stored();
    const known = { type: "upload", filename: "known.csv", sizeBytes: 5_000_000 } as const;
    const { id: knownId } = await rowmill.datasetUploads.create({ name: "Known", source: known });
    await page.goto(`${service.url}/dataset-uploads/${knownId}`);
    await page.getByText("Until the content is complete, it counts with 5 MB toward the storage").waitFor();
    const { id } = await rowmill.datasetUploads.create({ name: "Unknown", source: { type: "upload" } });
    expect(await stored()).toBeGreaterThan(before + 1e9);
    await page.goto(`${service.url}/dataset-uploads/${id}`);
    await page.getByText(/^Its size was not stated: until the content is complete/).waitFor();
    await page.getByRole("button", { name: "Cancel the upload" }).click();
    const question = page.getByRole("dialog", { name: "Cancel this upload?" });
    await question.getByRole("button", { name: "Keep" }).click();
    expect((await rowmill.datasetUploads.get(id)).state).toBe("awaiting_content");
    await page.getByRole("button", { name: "Cancel the upload" }).click();
    await question.getByRole("button", { name: "Cancel the upload" }).click();
    await page.getByText("The upload was canceled.").waitFor();
    expect(await stored()).toBe(before + 5_000_000);
  });
});
