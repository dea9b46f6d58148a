/** Every operation whose response shows a secret is marked in the contract, and shows it again only to its maker. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Operation } from "@rowmill/contract/operation";
import { responsesOf } from "@rowmill/contract/operation";
import { ONE_TIME_SECRET, components } from "@rowmill/contract/schemas";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { bodiesOf, entries, pathOf } from "./support/operations.ts";
import type { Entry, Ids } from "./support/operations.ts";
import { newWorld } from "./support/new-world.ts";

let service: TestService;
let owner: TestOrganization;
let ids: Ids;
let peer: string;
let url: string;
beforeAll(async () => {
  const receiver = await startReceiver();
  url = receiver.url;
  service = await startTestService(receiverSettings(receiver));
  owner = await service.newOrganization();
  ids = await newWorld(owner, receiver);
  const made = await owner.api<CreatedApiKey>("POST", `/v1/organizations/${owner.organizationId}/api-keys`, {
    body: { name: "Peer", scopes: ["*"] },
  });
  peer = made.body.key;
});

/** Whatever the service makes that somebody could act with. */
const SECRETS = /\b(rmk|rmi|whsec|rma)_[0-9A-Za-z+/=]{20,}/;

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  [ONE_TIME_SECRET]?: boolean;
}

/** Pointers of the members that the schema marks. */
function markedMembers(schema: Schema | undefined, at = ""): string[] {
  if (schema === undefined) return [];
  if (schema.$ref !== undefined) return markedMembers(components.get(schema.$ref), at);
  return [
    ...(schema[ONE_TIME_SECRET] === true ? [at] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => markedMembers(member, `${at}/${name}`)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((variant) => markedMembers(variant, at)),
    ...markedMembers(schema.items, `${at}/*`),
  ];
}

/** Pointers of the texts that look like a secret. */
function secretsIn(value: unknown, at = ""): string[] {
  if (typeof value === "string") return SECRETS.test(value) ? [at] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => secretsIn(member, `${at}/${name}`));
}

let sent = 0;
/** The first right body, about things of the world, and new wherever something must be unique or real. */
function bodyOf(entry: Entry): object | undefined {
  const body = bodiesOf(entry)[0];
  if (!body) return undefined;
  const known: Record<string, unknown> = {
    ...ids,
    url,
    baseUrl: new URL(url).origin,
    eventTypes: ["run.finished"],
    eventType: "run.failed",
    email: `somebody-${++sent}@example.com`,
    destination: { type: "webhook", url },
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]: [string, unknown]) => [name, known[name] ?? value]),
  );
}

const send = (entry: Entry, body: object | undefined, key: string | null, idempotencyKey: string) =>
  owner.api(entry.o.method, pathOf(entry.o, ids), { body, key, idempotencyKey });
const keyFor = ({ access }: Operation): string | null =>
  access.by === "public" ? null : access.by === "admin" ? service.adminKey : owner.apiKey;

const asked = entries.filter(({ o }) => o.plain !== true && o.method !== "DELETE");

test.each(asked)("$id declares the members that its schemas mark as secret", ({ o }) => {
  const marked = responsesOf(o).flatMap(({ schema }) => markedMembers(schema));
  expect(marked).toEqual(o.secretMembers ?? []);
});

// The document shows what tokens look like.
const speaking = asked.filter(({ id }) => id !== "getOpenApi");
test.each(speaking)("$id shows no secret that it does not declare", async (entry) => {
  const response = await send(entry, bodyOf(entry), keyFor(entry.o), `shown-${entry.id}`);
  const declared: readonly string[] = entry.o.secretMembers ?? [];
  expect(secretsIn(response.body).filter((at) => !declared.includes(at))).toEqual([]);
});

describe("a repeat by another key", () => {
  const repeatable = asked.filter(({ o }) => o.secretMembers && o.idempotency !== "none" && o.access.by !== "public");
  test.each(repeatable)("of $id shows all but the secret, which its maker gets again", async (entry) => {
    const [body, idempotencyKey] = [bodyOf(entry), `repeat-${entry.id}`];
    const first = await send(entry, body, owner.apiKey, idempotencyKey);
    expect(first.status).toBe(entry.o.response.status);
    expect(secretsIn(first.body)).toEqual(entry.o.secretMembers);
    const other = await send(entry, body, peer, idempotencyKey);
    expect([other.status, other.headers["idempotent-replayed"]]).toEqual([first.status, "true"]);
    expect(secretsIn(other.body)).toEqual([]);
    expect(other.body.id).toBe(first.body.id);
    expect((await send(entry, body, owner.apiKey, idempotencyKey)).text).toBe(first.text);
  });

  test("was tried for all that the contract declares", () => {
    expect(repeatable.map(({ id }) => id).toSorted()).toEqual([
      "createAlertRule",
      "createApiKey",
      "createInvitation",
      "createWebhookEndpoint",
      "rotateAlertRuleSecret",
      "rotateWebhookEndpointSecret",
    ]);
  });
});
