/** How many reads of a key wait at once, and what ends a wait. */
import { request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { operations } from "@rowmill/contract";
import type { Follower } from "../shared-looks.ts";
import type { OrganizationKey } from "../auth/caller.ts";
import { admit } from "./admission.ts";
import type { AdmissionParts } from "./admission.ts";
import { parseTrustedProxies } from "./client-address.ts";
import { MAX_WAITS_PER_KEY, createWaitingReads } from "./waiting-reads.ts";

interface Ended {
  finishedAt: Date | null;
}

const hasEnded = ({ finishedAt }: Ended): boolean => finishedAt !== null;

/** Followers of a record that has not ended. */
function newRecord() {
  const open = new Set<Follower<Ended>>();
  let followed = 0;
  const follow = (): Follower<Ended> => {
    const follower: Follower<Ended> = {
      next: (signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
      close: () => open.delete(follower),
    };
    open.add(follower);
    followed += 1;
    return follower;
  };
  return { open, follow, followed: () => followed };
}

test("a key has a bounded number of waits: more return at once, other keys wait, and a place that is left is free", async () => {
  const closing = new AbortController();
  const reads = createWaitingReads(closing.signal);
  const { open, follow, followed } = newRecord();
  const left = new AbortController();
  const first = reads.wait({ apiKeyId: "a", clientLeft: () => left.signal }, 3_600, follow, hasEnded);
  const others = Array.from({ length: MAX_WAITS_PER_KEY - 1 }, () =>
    reads.wait({ apiKeyId: "a" }, 3_600, follow, hasEnded),
  );
  expect(open.size).toBe(MAX_WAITS_PER_KEY);
  await reads.wait({ apiKeyId: "a" }, 3_600, follow, hasEnded);
  expect(followed()).toBe(MAX_WAITS_PER_KEY);
  const ofOther = reads.wait({ apiKeyId: "b" }, 3_600, follow, hasEnded);
  expect(open.size).toBe(MAX_WAITS_PER_KEY + 1);
  left.abort();
  await first;
  expect(open.size).toBe(MAX_WAITS_PER_KEY);
  const again = reads.wait({ apiKeyId: "a" }, 3_600, follow, hasEnded);
  expect(open.size).toBe(MAX_WAITS_PER_KEY + 1);
  closing.abort();
  await Promise.all([...others, ofOther, again]);
  expect(open.size).toBe(0);
});

test("a wait whose client has gone, or that comes while the service stops, does not begin", async () => {
  const { follow, followed } = newRecord();
  const gone = { apiKeyId: "a", clientLeft: () => AbortSignal.abort() };
  await createWaitingReads(new AbortController().signal).wait(gone, 3_600, follow, hasEnded);
  await createWaitingReads(AbortSignal.abort()).wait({ apiKeyId: "a" }, 3_600, follow, hasEnded);
  expect(followed()).toBe(0);
});

test("a client that leaves ends its wait", async () => {
  const { open, follow, followed } = newRecord();
  const reads = createWaitingReads(new AbortController().signal);
  const app = fastify();
  onTestFinished(() => app.close());
  const ended = Promise.withResolvers<undefined>();
  app.get(
    "/",
    { onRequest: (request, reply) => admit(request, reply, operations.getRun, partsOf(key)) },
    async (request) => {
      if (request.caller?.kind === "organization") await reads.wait(request.caller, 3_600, follow, hasEnded);
      ended.resolve(undefined);
      return {};
    },
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = send({ host: "127.0.0.1", port, headers: { authorization: "Bearer key" } });
  client.end();
  await expect.poll(followed, { timeout: 60_000 }).toBe(1);
  expect(open.size).toBe(1);
  client.on("error", () => undefined);
  client.destroy();
  await ended.promise;
  expect(open.size).toBe(0);
});

const key: OrganizationKey = {
  kind: "organization",
  organizationId: "0199ac8d-93f2-7999-8b0d-1a06299d8fba",
  apiKeyId: "0199ac8d-93f2-7999-8b0d-1a06299d8fbb",
  memberId: null,
  session: null,
  scopes: new Set(["runs:read"]),
  requestsPerMinute: { organization: null, keys: [] },
};

const partsOf = (found: OrganizationKey): AdmissionParts => ({
  authenticate: () => Promise.resolve(found),
  findKnownKey: () => undefined,
  database: { statements: () => Promise.reject(new Error("nothing is read")) } as unknown as AdmissionParts["database"], // not used
  recordDenial: () => Promise.reject(new Error("nothing is refused")),
  publicUrl: () => "http://127.0.0.1",
  rateLimits: undefined,
  trustedProxies: parseTrustedProxies([]),
  openRequests: { open: () => () => undefined, stop: () => undefined },
});
