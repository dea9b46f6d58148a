/** What several tabs show while things happen, the service is killed, a proxy holds streams back, and the console is updated. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { createApi } from "@rowmill/server/testing/api";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { createOrganization, startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization } from "@rowmill/server/testing/service";
import { startServiceProcess } from "@rowmill/server/testing/service-process";
import type { ServiceProcess } from "@rowmill/server/testing/service-process";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { openDoorway } from "./doorway.ts";
import type { Doorway } from "./doorway.ts";
import { pressTogether } from "./keys.ts";

const browser: Browser | undefined = await findBrowser();
let doorway: Doorway;
let service: ServiceProcess;
let own: TestOrganization;
let datasetId: string;
let holder: Holder;

beforeAll(async () => {
  if (browser === undefined) return;
  [doorway, holder] = await Promise.all([openDoorway(), startHolder()]);
  // The database outlives the process that is killed.
  const { settings } = await startTestService({ ROWMILL_ROLE: "api", ROWMILL_CHUNK_ROWS: "5" });
  service = await startServiceProcess({
    ...settings,
    ROWMILL_ROLE: "all",
    ROWMILL_PORT: "0",
    ROWMILL_PUBLIC_URL: doorway.url,
    // The holder is on this machine.
    ROWMILL_MODE: "development",
  });
  doorway.upstream = service.url;
  own = await createOrganization(
    doorway.url,
    createApi(doorway.url, service.adminKey, () => ""),
    () => "",
  );
  datasetId = (await newDataset(own.api, numberedRows(30), "Numbers")).id;
});
afterAll(async () => {
  await closePages(browser);
  doorway?.close();
});

async function signedIn(): Promise<BrowserContext> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  const data = { by: "api_key", apiKey: own.apiKey };
  await context.request.put(`${doorway.url}/v1/session`, { data, headers: { origin: doorway.url } });
  return context;
}
async function visit(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(doorway.url + path);
  await page.locator("h1").waitFor();
  return page;
}
interface Holder {
  url: string;
  /** Responses to all, from now on and until the next run begins. */
  release(): void;
  hold(): void;
}

/** Something that is called for each row, and responds when a test lets it: a run ends no sooner, however slow the machine is. */
async function startHolder(): Promise<Holder> {
  const waiting = new Set<ServerResponse>();
  let holds = true;
  const server = createServer((_, response) => {
    if (holds) waiting.add(response);
    else response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on TCP
    hold: () => void (holds = true),
    release() {
      holds = false;
      for (const response of waiting) response.end("{}");
      waiting.clear();
    },
  };
}

/** It ends when the holder releases its rows. */
const startRun = async (name: string): Promise<string> => {
  holder.hold();
  const url = `${holder.url}/{{row.n}}`;
  const jobSpec = await newJobSpec(own.api, { type: "http", method: "GET", url, timeoutMs: 300_000 });
  return (await newRun(own.api, { datasetId, jobSpecId: jobSpec.id, name })).id;
};

describe.skipIf(browser === undefined)("live updates", () => {
  test("reach all tabs by one stream, and go on after the service was killed and started again in the middle", async () => {
    const context = await signedIn();
    const list = await visit(context, "/runs");
    // Read without the run, which is new then.
    await list.getByText("No runs yet").waitFor();
    const other = await visit(context, "/datasets");
    await expect.poll(() => doorway.openStreams()).toBe(1);
    // Hidden tabs of a browser without a window are visible ones: what comes new is offered, and nothing jumps.
    const runId = await startRun("Slow numbers");
    await list.getByRole("button", { name: "1 new run" }).click();
    await list.getByRole("link", { name: "Slow numbers" }).click();
    await list.getByText("In progress", { exact: false }).first().waitFor();
    expect(doorway.openStreams()).toBe(1);

    // Somebody is writing meanwhile.
    const form = await visit(context, "/job-specs/new");
    await form.getByText("Rehearse", { exact: true }).click();
    await form.getByLabel("Name").fill("Written while");

    service.kill("SIGKILL");
    await service.exited;
    await form.getByLabel("Name").fill("Written while the service is away");
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByText("The service cannot be reached.", { exact: false }).first().waitFor();
    await list.getByText("The service cannot be reached. You see the state before").waitFor();
    // What was known stays in sight.
    await list.getByRole("heading", { name: "Slow numbers" }).waitFor();
    service = await startServiceProcess(service.settings);
    doorway.upstream = service.url;
    await list.getByText("The service cannot be reached. You see the state before").waitFor({ state: "detached" });
    holder.release();
    await list.getByText("30 of 30 rows done").waitFor();
    expect(list.url()).toContain(runId);
    await form.getByText("The service cannot be reached. You see the state before").waitFor({ state: "detached" });
    expect(await form.getByLabel("Name").inputValue()).toBe("Written while the service is away");
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByRole("heading", { name: "Written while the service is away" }).waitFor();
    await expect.poll(() => doorway.openStreams()).toBe(1);

    // A new build: said, and not forced. It is looked for after every lost connection.
    doorway.responses.set("/console.json", { build: "another" });
    doorway.cut();
    await other.getByText("The console was updated; this tab has the version before.").waitFor();
    await other.getByRole("button", { name: "Reload" }).waitFor();
    doorway.responses.clear();
    await context.close();
    await expect.poll(() => doorway.openStreams()).toBe(0);
  });

  test("wait for the code of a screen that a lost network or an upgrade keeps back, and offer a way on", async () => {
    const context = await signedIn();
    const page = await visit(context, "/datasets");
    // By keys: a pointer fetches the code on its way to the link.
    const goTo = (letter: string): Promise<void> => pressTogether(page, `g${letter}`);
    await context.setOffline(true);
    await goTo("u");
    await page.getByRole("heading", { name: "This screen could not be loaded" }).waitFor();
    await page.getByText("The service cannot be reached.", { exact: true }).waitFor();
    await context.setOffline(false);
    await page.getByRole("heading", { name: "Usage" }).waitFor();

    // The service is there, and one file of it was lost on the way.
    const audit = /\/assets\/audit-[^/]*\.js$/;
    await page.route(audit, (route) => route.abort());
    await goTo("l");
    await page.getByText("A part of the console did not arrive.").waitFor();
    await page.unroute(audit);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();

    // The file of this build is gone.
    await page.route(/\/assets\/settings-[^/]*\.js$/, (route) => route.fulfill({ status: 404, json: {} }));
    doorway.responses.set("/console.json", { build: "another" });
    await goTo("s");
    await page.getByRole("heading", { name: "The console was updated" }).waitFor();
    const notice = page.getByRole("status").filter({ hasText: "This tab still has the version before." });
    await notice.waitFor();
    await expect.poll(() => notice.getByRole("button", { name: "Reload" }).count()).toBe(1);
    doorway.responses.clear();
    await context.close();
  });

  test("bring a screen whose data could not be reached, by itself", async () => {
    const context = await signedIn();
    const page = await visit(context, "/datasets");
    await page.getByRole("link", { name: "Numbers" }).hover();
    const dataset = `**/v1/datasets/${datasetId}`;
    await page.route(dataset, (route) => route.abort());
    await page.getByRole("link", { name: "Numbers" }).click();
    await page.getByRole("heading", { name: "This screen cannot be shown" }).waitFor();
    // One, and none for the moment in which the screen tries by itself.
    await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(1);
    await page.unroute(dataset);
    await page.getByRole("heading", { name: "Numbers", level: 1 }).waitFor();
    await context.close();
  });

  test("name a run by a job spec that was made after the names were read", async () => {
    await startRun("Before");
    holder.release();
    const context = await signedIn();
    const read = context.waitForEvent("response", (response) => new URL(response.url()).pathname === "/v1/job-specs");
    const page = await visit(context, "/runs");
    await page.getByRole("link", { name: "Before" }).waitFor();
    expect((await read).status()).toBe(200);
    const jobSpec = await newJobSpec(own.api, { type: "mock" }, { name: "Made later" });
    await newRun(own.api, { datasetId, jobSpecId: jobSpec.id });
    await page.getByRole("button", { name: "1 new run" }).click();
    await page.getByRole("link", { name: "Made later on Numbers" }).waitFor();
    await context.close();
  });

  test("come by asking where a proxy holds streams back", async () => {
    doorway.letsStreamsThrough = false;
    onTestFinished(() => void (doorway.letsStreamsThrough = true));
    const context = await signedIn();
    const runId = await startRun("Behind a proxy");
    const page = await visit(context, `/runs/${runId}`);
    await page.getByText("Running", { exact: true }).first().waitFor();
    await expect.poll(() => doorway.asked.filter((path) => path === `/v1/runs/${runId}`).length).toBeGreaterThan(2);
    holder.release();
    await page.getByText("30 of 30 rows done").waitFor();
    await context.close();
  });
});
