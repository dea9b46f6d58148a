/** The screens of the console, as the pictures and the accessibility tests visit them. */
import type { Page } from "playwright-core";
import type { World } from "./fill-world.ts";

export interface Screen {
  name: string;
  path: string;
  /** Also looked at where there is nothing yet. */
  isList?: true;
  isInDocs?: true;
  prepare?: (page: Page) => Promise<void>;
}

export const screensOf = (world: World): Screen[] => [
  { name: "home", path: "/", isList: true },
  { name: "runs", path: "/runs", isList: true },
  {
    name: "runs-bulk",
    path: "/runs?since=30d&columns=state,rows,failed,cost,duration,created&sort=-failed",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Act on all that match" }).click();
      await page.getByText("match the filter", { exact: false }).waitFor();
    },
  },
  { name: "invitation", path: "/accept-invitation#token=rmi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM" },
  { name: "run", path: `/runs/${world.failedRunId}`, isInDocs: true },
  { name: "run-running", path: `/runs/${world.runningRunId}` },
  { name: "run-paused", path: `/runs/${world.pausedRunId}` },
  { name: "run-large", path: `/runs/${world.largeRunId}` },
  { name: "run-failures", path: `/runs/${world.failedRunId}/failures`, isInDocs: true },
  { name: "run-resolved", path: `/runs/${world.retryRunId}/resolved` },
  { name: "run-exports", path: `/runs/${world.failedRunId}/exports` },
  { name: "run-events", path: `/runs/${world.failedRunId}/events` },
  { name: "run-lineage", path: `/runs/${world.retryRunId}/lineage` },
  { name: "run-spec", path: `/runs/${world.retryRunId}/spec` },
  { name: "run-row", path: `/runs/${world.failedRunId}?row=7` },
  { name: "datasets", path: "/datasets", isList: true },
  { name: "dataset", path: `/datasets/${world.datasetId}`, isInDocs: true },
  { name: "upload-rejected", path: `/dataset-uploads/${world.rejectedUploadId}` },
  { name: "job-specs", path: "/job-specs", isList: true },
  {
    name: "job-spec",
    path: `/job-specs/${world.jobSpecId}?datasetId=${world.datasetId}`,
    isInDocs: true,
    prepare: (page) => page.getByText("Trail backpack").first().waitFor(),
  },
  {
    name: "job-spec-schema",
    path: `/job-specs/${world.jobSpecId}?datasetId=${world.datasetId}`,
    prepare: async (page) => {
      await page.getByText("JSON Schema", { exact: true }).click();
      await page.getByText("Retries, timeout, limits, cache").click();
      await page.locator('[data-editor="json"]').last().waitFor();
    },
  },
  {
    name: "job-spec-function",
    path: `/job-specs/${world.functionSpecId}?datasetId=${world.datasetId}`,
    prepare: (page) => page.locator('[data-editor="javascript"]').waitFor(),
  },
  { name: "job-spec-new", path: `/job-specs/new?datasetId=${world.datasetId}` },
  { name: "launch", path: `/runs/new?datasetId=${world.datasetId}&jobSpecId=${world.jobSpecId}`, isInDocs: true },
  { name: "connections", path: "/connections", isList: true },
  { name: "webhooks", path: "/webhooks", isList: true },
  { name: "webhook", path: `/webhooks/${world.endpointId}`, isInDocs: true },
  { name: "webhook-failing", path: `/webhooks/${world.failingEndpointId}` },
  {
    name: "webhook-delivery",
    path: `/webhooks/${world.failingEndpointId}?delivery=${world.failedDeliveryId}`,
    isInDocs: true,
    prepare: (page) => page.getByText("Response body").waitFor(),
  },
  { name: "alerts", path: "/alerts", isList: true },
  { name: "alert", path: `/alerts/${world.alertRuleId}` },
  {
    name: "alert-preview",
    path: `/alerts/${world.alertRuleId}`,
    isInDocs: true,
    prepare: async (page) => {
      await page.getByRole("button", { name: "More actions" }).waitFor();
      await page.keyboard.press("e");
      await page.getByText("Would have done").waitFor();
      await page.getByText(/^Of \d+ event/).waitFor();
    },
  },
  { name: "usage", path: "/usage", isList: true, isInDocs: true },
  { name: "usage-by-model", path: "/usage?by=model&range=7" },
  { name: "members", path: "/members", isList: true, isInDocs: true },
  { name: "keys", path: "/members?tab=keys&show=all", isList: true },
  {
    name: "key-new",
    path: "/members?tab=keys",
    prepare: async (page) => {
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByText("Choose", { exact: true }).click();
    },
  },
  { name: "audit", path: "/audit", isList: true, isInDocs: true },
  {
    name: "audit-event",
    path: "/audit?type=alert_rule.created",
    prepare: (page) =>
      page
        .getByRole("button", { name: /made an alert rule/ })
        .first()
        .click(),
  },
  { name: "settings", path: "/settings", isInDocs: true },
];

const press =
  (name: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByRole("button", { name }).first().click();

/** Dialogs and moments of those screens, for looking at them: made of the same parts, so axe need not see each. */
export const momentsOf = (world: World): Screen[] => [
  {
    name: "palette",
    path: "/runs",
    prepare: async (page) => {
      await page.getByRole("heading", { name: "Runs" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("re");
    },
  },
  {
    name: "key-sheet",
    path: `/runs/${world.failedRunId}`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "More actions" }).waitFor();
      await page.keyboard.press("?");
    },
  },
  { name: "run-no-such", path: "/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz" },
  { name: "no-such-page", path: "/no/such/page" },
  { name: "run-retry", path: `/runs/${world.failedRunId}/failures`, prepare: press("Retry this cause") },
  { name: "run-raise-budget", path: `/runs/${world.pausedRunId}`, prepare: press("Raise the budget") },
  { name: "run-adjust", path: `/runs/${world.pausedRunId}`, prepare: press("Adjust") },
  { name: "run-failure-rows", path: `/runs/${world.failedRunId}/failures?code=output_schema_invalid` },
  { name: "runs-none", path: "/runs?state=paused&name=Autumn&columns=state,rows,failed,cost,duration,created" },
  { name: "job-spec-difference", path: `/job-specs/${world.jobSpecId}?version=2` },
  {
    name: "job-spec-tested",
    path: `/job-specs/${world.jobSpecId}?datasetId=${world.datasetId}`,
    prepare: async (page) => {
      await press("Test on 5 rows")(page);
      await page
        .getByText(/^Request 1/)
        .first()
        .click();
    },
  },
  {
    name: "job-spec-request",
    path: `/job-specs/new?datasetId=${world.datasetId}`,
    prepare: (page) => page.getByText("Make a request", { exact: true }).click(),
  },
  {
    name: "job-spec-rehearsal",
    path: `/job-specs/new?datasetId=${world.datasetId}`,
    prepare: (page) => page.getByText("Rehearse", { exact: true }).click(),
  },
  { name: "connection-new", path: "/connections", prepare: press("New connection") },
  {
    name: "launch-filter",
    path: `/runs/new?datasetId=${world.datasetId}&jobSpecId=${world.jobSpecId}`,
    prepare: (page) => page.getByText("A filter", { exact: true }).click(),
  },
  {
    name: "export-new",
    path: `/runs/${world.failedRunId}/exports`,
    prepare: press("Other files"),
  },
];

/** The cover of a session that ends while a screen is open; who visits it is signed out afterwards. */
export const endedScreens: Screen[] = [
  {
    name: "session-ended",
    path: "/runs",
    prepare: async (page) => {
      const { origin } = new URL(page.url());
      await page.getByRole("heading", { name: "Runs" }).waitFor();
      await page.context().request.delete(`${origin}/v1/session`, { headers: { origin } });
      await page.getByRole("dialog", { name: "Sign in to go on" }).waitFor();
    },
  },
];

/** What the operator's key sees. */
export const operatorScreens: Screen[] = [
  { name: "organizations", path: "/organizations" },
  { name: "health", path: "/health" },
  { name: "settings-operator", path: "/settings" },
];
