/** What a request costs, and when the cache spares it. */
import { describe, expect, test } from "vitest";
import type { Budget } from "../processor.ts";
import { RowPostponedError } from "../processor.ts";
import { AUTHORIZED, respondJson, connection, echo, failureOf, rig, startServer } from "./http-testing.ts";

describe("money", () => {
  const budgetOf = (reservations: number) => {
    const settled: string[] = [];
    const asked: string[] = [];
    const budget: Budget = {
      reserve: (amount) => {
        asked.push(amount ?? "unknown");
        return Promise.resolve(
          asked.length > reservations ? undefined : { isLimited: true, settle: (spent) => void settled.push(spent) },
        );
      },
    };
    return { budget, asked, settled };
  };
  const priced = (origin: string) => connection(origin, { prices: { requestUsd: "0.002" } });

  test("is set aside before a request and spent with it, whatever the response", async () => {
    const server = await startServer(({ path }, response) => void response.writeHead(Number(path.slice(1))).end());
    const { budget, asked, settled } = budgetOf(2);
    const { call } = await rig(
      { url: "/{{row.status}}", connection: "conn_1" },
      { allowed: [server.origin], connection: priced(server.origin), budget },
    );
    const good = await call({ status: 200 });
    expect(good.usage).toEqual({
      requests: 1,
      costUsd: "0.002",
      calls: [{ connectionId: "conn_1", costUsd: "0.002" }],
    });
    const bad = await call({ status: 400 });
    expect(bad.usage?.calls).toEqual([{ connectionId: "conn_1", costUsd: "0.002", code: "http_4xx" }]);
    await expect(call({ status: 200 })).rejects.toBeInstanceOf(RowPostponedError);
    expect({ asked, settled }).toEqual({ asked: ["0.002", "0.002", "0.002"], settled: ["0.002", "0.002"] });
    expect(server.requests).toHaveLength(2);
  });

  test("is assumed where the response is lost", async () => {
    const server = await startServer((_request, response) => void response.destroy());
    const { call } = await rig(
      { url: "/", connection: "conn_1" },
      { allowed: [server.origin], connection: priced(server.origin) },
    );
    const lost = { connectionId: "conn_1", costUsd: "0.002", costAssumed: true, code: "network_error" };
    expect((await call({})).usage).toEqual({
      requests: 1,
      costUsd: "0.002",
      assumedCostUsd: "0.002",
      calls: [lost],
    });
  });

  test("is not spent on a row that was never sent", async () => {
    const gone = await startServer(echo);
    const { budget, settled } = budgetOf(9);
    const { call } = await rig(
      { url: "/{{row.id}}", connection: "conn_1" },
      { allowed: [], connection: priced("http://127.0.0.1:9"), budget },
    );
    expect(failureOf(await call({ id: 1 })).code).toBe("egress_denied");
    const closed = await rig(
      { url: "/{{row.id}}", connection: "conn_1" },
      { allowed: ["http://127.0.0.1:9"], connection: priced("http://127.0.0.1:9"), budget },
    );
    const outcome = await closed.call({ id: 1 });
    expect(failureOf(outcome).code).toBe("network_error");
    expect(outcome.usage).toEqual({ requests: 0 });
    expect(settled).toEqual(["0"]);
    expect(gone.requests).toEqual([]);
  });

  test("of a connection without a price is nothing, and nothing unknown", async () => {
    const server = await startServer(respondJson(1));
    const { budget, asked } = budgetOf(0);
    const { call } = await rig(
      { url: "/", connection: "conn_1" },
      { allowed: [server.origin], connection: connection(server.origin), budget },
    );
    expect((await call({})).usage).toEqual({ requests: 1, calls: [{ connectionId: "conn_1" }] });
    expect(asked).toEqual([]);
  });
});

describe("the cache", () => {
  test("knows a GET by what is asked, and nothing that may act", async () => {
    const world = { connection: connection("https://api.example.com") };
    const { step } = await rig({ url: "/items/{{row.id}}", connection: "conn_1", ...AUTHORIZED }, world);
    const keyOf = (row: object, index: number) => step.cacheKeyOf?.({ index, text: JSON.stringify(row) });
    expect(keyOf({ id: 1, other: 1 }, 0)).toBe(keyOf({ id: 1, other: 2 }, 1));
    expect(keyOf({ id: 1 }, 0)).not.toBe(keyOf({ id: 2 }, 0));
    expect(keyOf({}, 0)).toBeUndefined();
    expect(keyOf({ id: 1 }, 0)).not.toContain("s3cr3t");
    const acting = await rig({ method: "POST", url: "/x", connection: "conn_1" }, world);
    expect(acting.step).not.toHaveProperty("cacheKeyOf");
  });
});
