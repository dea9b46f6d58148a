/** What a key that may only read is shown, an invitation accepted in the browser, and what may be changed where it stands. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { closePages, findBrowser, openContext } from "./browser.ts";
import { pressTogether } from "./keys.ts";

const browser: Browser | undefined = await findBrowser();
let service: TestService;
let own: TestOrganization;
let rowmill: Rowmill;

beforeAll(async () => {
  if (browser === undefined) return;
  service = await startTestService();
  own = await service.newOrganization();
  rowmill = new Rowmill({ baseUrl: service.url, apiKey: own.apiKey });
});
afterAll(() => closePages(browser));

async function newPage(apiKey?: string): Promise<Page> {
  if (browser === undefined) throw new Error("there is no browser");
  const context = await openContext(browser);
  if (apiKey !== undefined) {
    const data = { by: "api_key", apiKey };
    await context.request.put(`${service.url}/v1/session`, { data, headers: { origin: service.url } });
  }
  return context.newPage();
}

describe.skipIf(browser === undefined)("the console", () => {
  test("offers a key that may only read nothing that it cannot do, and says what is hidden", async () => {
    const dataset = await newDataset(own.api, numberedRows(12), "Numbers");
    const jobSpec = await newJobSpec(own.api, { type: "mock", failEvery: 4 });
    const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, name: "Read only" });
    await finishedRun(own.api, run.id);
    const { key = "" } = await rowmill.organizations.apiKeys.create(own.organizationId, {
      name: "Reader",
      scopes: ["runs:read", "datasets:read", "job_specs:read"],
    });
    const page = await newPage(key);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${service.url}/`);
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await page.getByRole("link", { name: "Read only" }).click();
    await page.getByText("12 of 12 rows done").waitFor();
    // In place of an output; a dash would be a row without one.
    await page.getByRole("gridcell", { name: "hidden", exact: true }).first().waitFor();
    for (const name of [/^Retry/, "Cancel", "Pause", "Adjust", "Run rows again", /: change$/])
      expect([String(name), await page.getByRole("button", { name }).count()]).toEqual([String(name), 0]);
    await page
      .getByRole("row", { name: /Failed/ })
      .first()
      .click();
    await page.getByText("Outputs are hidden.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    for (const [key, text] of [
      ["2", "Failures are hidden."],
      ["3", "Results are hidden."],
      ["4", "Exports are hidden."],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByText(text).waitFor();
    }
    await pressTogether(page, "gd");
    await page.getByRole("link", { name: "Numbers", exact: true }).click();
    await page.getByRole("img", { name: /^Distribution in/ }).waitFor();
    expect(await page.getByRole("link", { name: "Start a run" }).count()).toBe(0);
    // What only a typed address leads to is not asked for: a refusal would be in the audit.
    for (const [path, scope] of [
      ["/runs/new", "runs:write"],
      ["/job-specs/new", "job_specs:write"],
      ["/usage", "organization:read"],
      ["/connections", "connections:read"],
      ["/members", "invitations:read"],
    ] as const) {
      await page.goto(service.url + path);
      await page.getByText("This screen is hidden.").waitFor();
      await page.getByText(`Your key lacks the scope ${scope}`).waitFor();
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });

  test("takes a newcomer in by the link of an invitation", async () => {
    const invitation = await rowmill.organizations.invitations.create(own.organizationId, {
      email: "newcomer@example.com",
      role: "operator",
    });
    const page = await newPage();
    await page.goto(invitation.inviteUrl ?? "");
    await page.getByLabel("Your name").fill("Newcomer");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Welcome to Test organization/ }).waitFor();
    await page.getByText(/^rmk_/).waitFor();
    expect(page.url()).toBe(`${service.url}/accept-invitation`);
    await page.getByRole("button", { name: "Go to the console" }).click();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).waitFor();
    await page.goto(`${service.url}/accept-invitation`);
    await page.getByText("The link is not whole.").waitFor();
    await page.context().close();
  });

  test("takes a link that is pasted where its page is open already, which loads nothing again", async () => {
    const invited = { email: "late@example.com", role: "viewer" } as const;
    const { inviteUrl = "" } = await rowmill.organizations.invitations.create(own.organizationId, invited);
    const page = await newPage();
    await page.goto(`${service.url}/accept-invitation`);
    await page.getByText("The link is not whole.").waitFor();
    await page.goto(inviteUrl);
    await page.getByLabel("Your name").waitFor();
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel("API key").waitFor();
    await page.goto(service.loginUrl);
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    expect(new URL(page.url()).hash).toBe("");
    await page.context().close();
  });

  test("changes what a run may use where it stands, and does anything by name", async () => {
    const dataset = await newDataset(own.api, numberedRows(200), "More numbers");
    const jobSpec = await newJobSpec(own.api, { type: "mock", delayMs: 20_000 });
    const run = await newRun(own.api, {
      datasetId: dataset.id,
      jobSpecId: jobSpec.id,
      name: "Adjusted",
      concurrency: 2,
    });
    const page = await newPage(own.apiKey);
    await page.goto(`${service.url}/runs/${run.id}`);
    await page.getByRole("button", { name: "Rows in flight at once: change" }).click();
    await page.getByLabel("Rows in flight at once").fill("7");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Rows in flight at once: change" }).getByText("7").waitFor();
    await page.getByRole("button", { name: "Priority from 1 to 5: change" }).click();
    await page.getByLabel("Priority from 1 to 5").fill("5");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await rowmill.runs.get(run.id)).priority).toBe(5);
    expect((await rowmill.runs.get(run.id)).concurrency).toBe(7);
    // A dialog is sent by the Enter key, as a form is.
    await page.getByRole("button", { name: "Adjust" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Adjusted by a dialog");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Adjusted by a dialog", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cancel the");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Cancel the run" }).click();
    await page.getByText("Canceled", { exact: true }).first().waitFor();
    await page.context().close();
  });

  test("shows what a provider lets through", async () => {
    const connection = await rowmill.connections.create({
      type: "openai_compatible",
      name: "House model",
      baseUrl: "https://models.example.com/v1",
      secret: "house-model-secret-7Qd2",
    });
    await service.query(
      `insert into limiters (organization_id, connection_id, model, requests_per_minute, requests_learned_at, refusals, cooling_until, rate, ceiling, slowed_at, used_at)
        select organization_id, id, 'house-small', 480, extract(epoch from now()), 3, extract(epoch from now()) + 3000, 2, 3, extract(epoch from now()) - 90, extract(epoch from now())
        from connections where name = $1`,
      ["House model"],
    );
    const { models } = await rowmill.connections.limits(connection.id);
    expect(models).toMatchObject([
      { model: "house-small", learnedRequestsPerMinute: 480, learnedTokensPerMinute: null, refusals: 3 },
    ]);
    const page = await newPage(own.apiKey);
    await page.goto(`${service.url}/connections`);
    await page.getByText("The provider allows a minute: 480 requests, tokens not reported").waitFor();
    await page.getByText("now tries 120 requests a minute").waitFor();
    await page.getByText("held back by refusals or overload, the last one").waitFor();
    await page.getByText("3 refusals in a row").waitFor();
    // For fifty minutes from when it was written above.
    await page.getByText(/^paused by the provider for (4\d|50) min/).waitFor();
    await page.context().close();
  });
});
