/** What events carry, by type: the compiler refuses everything else, and receivers get absolute URLs. */
import { expect, test } from "vitest";
import { renderEnvelope } from "./events.ts";
import type { NewEvent } from "./events.ts";

test("the path of a stored event gets the public URL of the moment; an older event keeps its absolute one", () => {
  const stored = (url: string) =>
    JSON.stringify({ id: "evt_1", data: { object: "test", url, state: "ready" }, last: 1 });
  expect(renderEnvelope(stored("/v1/runs/run_1"), "https://rowmill.example.com/base")).toBe(
    stored("https://rowmill.example.com/base/v1/runs/run_1"),
  );
  const old = stored("http://127.0.0.1:8080/v1/runs/run_1");
  expect(renderEnvelope(old, "https://rowmill.example.com")).toBe(old);
});

test("a payload that is not the one of its type does not compile", () => {
  const organizationId = "0199ac8d-93f2-7999-8b0d-1a06299d8fba";
  const url = "/v1/runs/run_1";
  const events: NewEvent[] = [
    { organizationId, type: "run.succeeded", data: { object: "run", id: "run_1", url, state: "succeeded" } },
    // @ts-expect-error: the state of another type
    { organizationId, type: "run.succeeded", data: { object: "run", id: "run_1", url, state: "failed" } },
    // @ts-expect-error: a pause has a reason
    { organizationId, type: "run.paused", data: { object: "run", id: "run_1", url, state: "paused" } },
    // @ts-expect-error: a member that no event has
    { organizationId, type: "test.ping", data: { object: "test", url, output: "the contents of a row" } },
    // @ts-expect-error: only streams have it
    { organizationId, type: "run.progress", data: { object: "run", id: "run_1", url, state: "running" } },
  ];
  expect(events).toHaveLength(5);
});
