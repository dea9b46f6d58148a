/** `If-Match` on every operation of the contract that changes or ends something. */
import { beforeAll, expect, test } from "vitest";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { bodiesOf, entries, pathOf } from "./support/operations.ts";
import type { Ids } from "./support/operations.ts";
import { newWorld } from "./support/new-world.ts";

let service: TestService;
let owner: TestOrganization;
let ids: Ids;
beforeAll(async () => {
  const receiver = await startReceiver();
  service = await startTestService(receiverSettings(receiver));
  owner = await service.newOrganization();
  ids = await newWorld(owner, receiver);
});

// Pieces of content have a protocol of their own, and its tests.
const changes = entries.filter(({ o }) => ["PATCH", "DELETE"].includes(o.method) && o.plain !== true);

test.each(changes)(
  "$id is refused, and changes nothing, when the thing is not what its reader has seen",
  async (entry) => {
    const api = entry.o.access.by === "admin" ? service.api : owner.api;
    const path = pathOf(entry.o, ids);
    const before = await api("GET", path);
    expect(before.status).toBe(200);
    const response = await api(entry.o.method, path, {
      body: bodiesOf(entry)[0],
      headers: { "If-Match": '"of-before"' },
    });
    expect([response.status, response.body.error.code]).toEqual([412, "precondition_failed"]);
    expect((await api("GET", path)).text).toBe(before.text);
  },
);
