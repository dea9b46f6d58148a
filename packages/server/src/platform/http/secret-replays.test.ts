/** A secret that a response has shown is shown again to the one who made it while it is of use, and to nobody else. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AcceptedInvitation, CreatedInvitation } from "@rowmill/contract/invitations";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { tablesWith } from "./idempotency-testing.ts";
import { withoutSecrets } from "./secret-replays.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const pathOf = (rest: string) => `/v1/organizations/${tenant.organizationId}/${rest}`;
let made = 0;
const newIdempotencyKey = () => `secret-${++made}`;

async function newKey(scopes: readonly string[], key = tenant.apiKey): Promise<CreatedApiKey> {
  const created = await tenant.api<CreatedApiKey>("POST", pathOf("api-keys"), { body: { name: "A key", scopes }, key });
  expectStatus(created, 201);
  return created.body;
}
async function invite(role: string, idempotencyKey = newIdempotencyKey()): Promise<CreatedInvitation> {
  const body = { email: `${idempotencyKey}@example.com`, role };
  const created = await tenant.api<CreatedInvitation>("POST", pathOf("invitations"), { body, idempotencyKey });
  expectStatus(created, 201);
  return created.body;
}
const accept = ({ inviteUrl }: CreatedInvitation, idempotencyKey: string) =>
  service.api<AcceptedInvitation>("POST", "/v1/invitations/accept", {
    body: { token: new URL(inviteUrl).hash.replace("#token=", ""), name: "Ada" },
    key: null,
    idempotencyKey,
  });

describe("the secret of a new key", () => {
  const body = { name: "Made once", scopes: ["*"] };
  const create = (key: string, idempotencyKey: string) =>
    tenant.api<CreatedApiKey>("POST", pathOf("api-keys"), { body, key, idempotencyKey });

  test("is not for a key that may make keys and lacks the new one's scopes: 403, and an audit event", async () => {
    const idempotencyKey = newIdempotencyKey();
    expectStatus(await create(tenant.apiKey, idempotencyKey), 201);
    const thief = await newKey(["api_keys:write"]);
    const response = await create(thief.key, idempotencyKey);
    expect([response.status, response.headers["idempotent-replayed"]]).toEqual([403, undefined]);
    expect(response.text).toContain("insufficient_scope");
    const denied = await service.query("select 1 from audit_events where request_id = $1 and type = 'auth.denied'", [
      response.headers["request-id"],
    ]);
    expect(denied).toHaveLength(1);
  });

  test("is not for another key with all scopes, which gets the rest of the response", async () => {
    const idempotencyKey = newIdempotencyKey();
    const first = await create(tenant.apiKey, idempotencyKey);
    const again = await create((await newKey(["*"])).key, idempotencyKey);
    const { key, ...shown } = first.body;
    expect([again.status, again.headers["idempotent-replayed"], again.body]).toEqual([201, "true", shown]);
    expect(again.headers["location"]).toBe(first.headers["location"]);
    expect(again.text).not.toContain(key);
    // The one who made it still gets it.
    expect((await create(tenant.apiKey, idempotencyKey)).text).toBe(first.text);
  });

  test("is for other keys of the member that made it, as far as they may make such a key", async () => {
    const { apiKey } = (await accept(await invite("owner"), newIdempotencyKey())).body;
    const idempotencyKey = newIdempotencyKey();
    const first = await create(apiKey.key, idempotencyKey);
    expect((await create((await newKey(["*"], apiKey.key)).key, idempotencyKey)).text).toBe(first.text);
    const narrow = await newKey(["api_keys:write"], apiKey.key);
    expect((await create(narrow.key, idempotencyKey)).status).toBe(403);
  });

  test("is for nobody once the new key is revoked or has expired", async () => {
    const idempotencyKey = newIdempotencyKey();
    const first = await create(tenant.apiKey, idempotencyKey);
    expect((await tenant.api("DELETE", pathOf(`api-keys/${first.body.id}`))).status).toBe(204);
    const again = await create(tenant.apiKey, idempotencyKey);
    expect([again.status, again.body.key]).toEqual([201, undefined]);
    const other = newIdempotencyKey();
    const expiring = await create(tenant.apiKey, other);
    await service.query("update api_keys set expires_at = now() where redacted_key = $1", [expiring.body.redactedKey]);
    expect((await create(tenant.apiKey, other)).body.key).toBeUndefined();
  });
});

describe("the link of an invitation", () => {
  const again = (idempotencyKey: string, role: string, key: string) =>
    tenant.api<CreatedInvitation>("POST", pathOf("invitations"), {
      body: { email: `${idempotencyKey}@example.com`, role },
      idempotencyKey,
      key,
    });

  test("is not for a key that may invite and lacks the role's scopes, nor for one that has them", async () => {
    const idempotencyKey = newIdempotencyKey();
    const { inviteUrl, ...shown } = await invite("owner", idempotencyKey);
    expect((await again(idempotencyKey, "owner", (await newKey(["invitations:write"])).key)).status).toBe(403);
    const peer = await again(idempotencyKey, "owner", (await newKey(["*"])).key);
    expect([peer.status, peer.body]).toEqual([201, shown]);
    expect((await again(idempotencyKey, "owner", tenant.apiKey)).body.inviteUrl).toBe(inviteUrl);
  });

  test("is for nobody once the invitation has ended", async () => {
    const idempotencyKey = newIdempotencyKey();
    const { id } = await invite("viewer", idempotencyKey);
    expect((await tenant.api("DELETE", pathOf(`invitations/${id}`))).status).toBe(204);
    expect((await again(idempotencyKey, "viewer", tenant.apiKey)).body.inviteUrl).toBeUndefined();
  });
});

describe("the key of an accepted invitation", () => {
  const stored = async (idempotencyKey: string) =>
    (
      await service.query<{ body: string | null; minutes: number }>(
        "select body, extract(epoch from secret_until - created_at)::float8 / 60 as minutes from idempotency_keys where key = $1",
        [idempotencyKey],
      )
    )[0];
  const makeOld = (idempotencyKey: string) =>
    service.query("update idempotency_keys set secret_until = now() where key = $1", [idempotencyKey]);

  test("is shown again for minutes, and then no more, purged or not", async () => {
    const [idempotencyKey, invitation] = [newIdempotencyKey(), await invite("viewer")];
    const first = await accept(invitation, idempotencyKey);
    expect((await accept(invitation, idempotencyKey)).text).toBe(first.text);
    expect((await stored(idempotencyKey))?.minutes).toBeCloseTo(10, 0);
    await makeOld(idempotencyKey);
    const late = await accept(invitation, idempotencyKey);
    expect([late.status, late.headers["idempotent-replayed"]]).toEqual([200, "true"]);
    expect(late.body.apiKey).toMatchObject({ id: first.body.apiKey.id });
    expect(late.text).not.toContain(first.body.apiKey.key);
  });

  test("is deleted from what is stored", async () => {
    const [idempotencyKey, invitation] = [newIdempotencyKey(), await invite("viewer")];
    await accept(invitation, idempotencyKey);
    await makeOld(idempotencyKey);
    // Every process purges when it starts, and each minute.
    const other = await startTestService(service.settings);
    await waitFor(async () => (await stored(idempotencyKey))?.body === null);
    await other.stop();
    const late = await accept(invitation, idempotencyKey);
    expect([late.status, late.body.apiKey.key]).toEqual([200, undefined]);
  });

  test("is for nobody once it is revoked", async () => {
    const [idempotencyKey, invitation] = [newIdempotencyKey(), await invite("viewer")];
    const first = await accept(invitation, idempotencyKey);
    await tenant.api("DELETE", pathOf(`api-keys/${first.body.apiKey.id}`));
    expect((await accept(invitation, idempotencyKey)).body.apiKey.key).toBeUndefined();
  });
});

test("members are taken out wherever they stand, and nothing else", () => {
  const body = '{"a":{"key":"s","id":1},"key":"s","n":null}';
  expect(withoutSecrets(body, ["/a/key"])).toBe('{"a":{"id":1},"key":"s","n":null}');
  expect(withoutSecrets(body, ["/key", "/n", "/x/key"])).toBe('{"a":{"key":"s","id":1}}');
});

describe("a response with a secret", () => {
  test("is given again to the repeat, and is sealed where it is kept", async () => {
    const key = newIdempotencyKey();
    const ask = () =>
      tenant.api<CreatedApiKey>("POST", pathOf("api-keys"), { body: { name: "Sealed" }, idempotencyKey: key });
    const [first, second] = [await ask(), await ask()];
    expect(second.body.key).toBe(first.body.key);
    expect((await tenant.api("GET", "/v1/me", { key: second.body.key })).status).toBe(200);
    const [row] = await service.query<{ body: string; is_sealed: boolean }>(
      "select body, is_sealed from idempotency_keys where key = $1",
      [key],
    );
    expect(row).toMatchObject({ is_sealed: true, body: expect.stringMatching(/^v1\./) as string });
    expect(await tablesWith(service, first.body.key)).toEqual([]);
  });

  test("does not open in place of another's", async () => {
    const [mine, foreign] = [newIdempotencyKey(), newIdempotencyKey()];
    const stranger = await service.newOrganization();
    const ask = (of: TestOrganization, idempotencyKey: string) =>
      of.api("POST", `/v1/organizations/${of.organizationId}/api-keys`, { body: { name: "Moved" }, idempotencyKey });
    await ask(tenant, mine);
    await ask(stranger, foreign);
    await service.query(
      "update idempotency_keys set body = (select body from idempotency_keys where key = $1) where key = $2",
      [foreign, mine],
    );
    await expect(ask(tenant, mine)).rejects.toThrow(/responded 500/);
  });
});
