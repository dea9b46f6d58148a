/** Idempotency-Key on every operation of the contract. The rules in depth are tested beside the code that keeps them. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "@rowmill/contract";
import type { Api } from "@rowmill/server/testing/api";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { bodiesOf, entries, pathOf, readingPathOf } from "./support/operations.ts";
import type { Entry, Ids } from "./support/operations.ts";
import { newWorld } from "./support/new-world.ts";

/** Specification 4.1. */
const CREATE_ROUTES = [
  "/v1/dataset-uploads",
  "/v1/job-specs",
  "/v1/runs",
  "/v1/runs/{runId}/retry",
  "/v1/runs/{runId}/exports",
  "/v1/webhook-endpoints",
  "/v1/alert-rules",
  "/v1/organizations",
  "/v1/organizations/{organizationId}/api-keys",
  "/v1/organizations/{organizationId}/invitations",
];

let service: TestService;
let owner: TestOrganization;
let ids: Ids;
beforeAll(async () => {
  const receiver = await startReceiver();
  service = await startTestService(receiverSettings(receiver));
  owner = await service.newOrganization();
  ids = await newWorld(owner, receiver);
});

const apiFor = ({ o }: Entry): Api => (o.access.by === "admin" ? service.api : owner.api);
const send = (entry: Entry, idempotencyKey: string | null, body: object | undefined = bodyOf(entry)) =>
  apiFor(entry)(entry.o.method, pathOf(entry.o, ids), { body, idempotencyKey });

/** The first right body, about things of the world where it names any. */
function bodyOf(entry: Entry): object | undefined {
  const body = bodiesOf(entry)[0];
  return (
    body &&
    Object.fromEntries(Object.entries(body).map(([name, value]: [string, unknown]) => [name, ids[name] ?? value]))
  );
}

const posts = entries.filter(({ o }) => o.method === "POST");
const required = posts.filter(({ o }) => o.idempotency === "required");

test("the routes that require a key are the ten of the specification, connections and bulk actions", () => {
  expect(required.map(({ o }) => o.path).toSorted()).toEqual(
    [...CREATE_ROUTES, "/v1/connections", "/v1/bulk-actions"].toSorted(),
  );
});

test("every other POST honours one, but the tus protocol's; other methods have none", () => {
  const others = entries.filter(({ o }) => o.idempotency !== "required");
  expect(
    others
      .filter(({ o }) => o.idempotency === "honoured")
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(
    others
      .filter(({ id, o }) => o.method === "POST" && id !== "beginResumableContent")
      .map(({ id }) => id)
      .toSorted(),
  );
});

test("the guide names the creates that require a key", async () => {
  const page = await readFile(new URL("../docs/guide/use-the-api.md", import.meta.url), "utf8");
  const rowOf = (name: string): string | undefined => new RegExp(`^\\| ${name} \\| (.+) \\|$`, "m").exec(page)?.[1];
  const names: Partial<Record<OperationId, string>> = {
    createDatasetUpload: "dataset uploads",
    createJobSpec: "job specs",
    createRun: "runs",
    retryRun: "retry runs",
    createExport: "exports",
    createWebhookEndpoint: "webhook endpoints",
    createAlertRule: "alert rules",
    createOrganization: "organizations",
    createApiKey: "API keys",
    createInvitation: "invitations",
    createConnection: "connections",
    createBulkAction: "bulk actions",
    createJobSpecVersion: "job spec versions",
  };
  const listed = (text = ""): string[] => text.split(", ").toSorted();
  const creates = posts.filter(({ id, o }) => o.response.status === 201 && id !== "beginResumableContent");
  const namesOf = (idempotency: string): string[] =>
    creates.flatMap(({ id, o }) => (o.idempotency === idempotency ? [names[id] ?? ""] : [])).toSorted();
  expect(listed(rowOf("required"))).toEqual(namesOf("required"));
  expect(listed(rowOf("accepted")?.replace(", and all actions", ""))).toEqual(namesOf("honoured"));
});

test.each(required)("$id asks for a key", async (entry) => {
  const response = await send(entry, null);
  expect([response.status, response.body.error.code]).toEqual([400, "idempotency_key_required"]);
});

test.each(posts)("$id refuses a bad key", async (entry) => {
  const response = await send(entry, "two words");
  expect([response.status, response.body.error.code]).toEqual([400, "idempotency_key_invalid"]);
});

describe("a repeat", () => {
  test.each(posts)("of $id gives the first response again, and with another body conflicts", async (entry) => {
    const key = `repeat-${entry.id}`;
    const first = await send(entry, key);
    const second = await send(entry, key);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    // What failed is not remembered, and fails again by itself.
    const isKept = first.status < 300;
    expect(second.status).toBe(first.status);
    expect(second.headers["idempotent-replayed"]).toBe(isKept ? "true" : undefined);
    expect(second.headers["location"]).toBe(first.headers["location"]);
    expect(isKept ? second.text : second.body.error.code).toBe(isKept ? first.text : first.body.error.code);
    const third = await send(
      entry,
      key,
      entry.o.body ? { ...bodyOf(entry), metadata: { another: "body" } } : undefined,
    );
    expect([200, 201, 400, 404, 409, 422]).toContain(third.status);
    expect(third.headers["idempotent-replayed"]).toBe(isKept && !entry.o.body ? "true" : undefined);
  });

  test.each(posts.filter(({ o }) => o.body === undefined))(
    "of $id with a body conflicts, where there was none",
    async (entry) => {
      const key = `empty-${entry.id}`;
      const first = await send(entry, key);
      const second = await send(entry, key, {});
      // What failed is not remembered, and fails again by itself.
      const code = first.status < 300 ? "idempotency_conflict" : first.body.error.code;
      expect(second.body.error.code).toBe(code);
    },
  );

  test("without a key, where none is required, does the work again", async () => {
    const path = `/v1/webhook-endpoints/${ids["webhookEndpointId"]}/rotate-secret`;
    const [first, second] = [
      await owner.api("POST", path, { idempotencyKey: null }),
      await owner.api("POST", path, { idempotencyKey: null }),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body["signingSecret"]).not.toBe(second.body["signingSecret"]);
  });
});

test.each(
  entries.filter(({ o }) => o.idempotency === "none" && o.access.by.startsWith("organization") && o.method === "GET"),
)("$id does not mind a key", async (entry) => {
  for (const key of ["the-same", "two words"]) {
    const response = await apiFor(entry)("GET", readingPathOf(entry.o, ids), { idempotencyKey: key });
    expect(response.status).toBe(200);
    expect(response.headers["idempotent-replayed"]).toBeUndefined();
  }
});
