import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Rowmill } from "@rowmill/client";
import { expect, onTestFinished, test } from "vitest";
import { attentiveSleep } from "./attentive-sleep.ts";
import { Problem } from "./problem.ts";

const LONG_MS = 600_000;

/** A service whose upload stays `processing`. */
async function startService(disk: string): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    const state = request.url === "/readyz" ? { status: "ready", disk } : { id: "upl_1", state: "processing" };
    response.end(JSON.stringify(state));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

test("a wait for an upload ends when the service has too little free space", async () => {
  const url = await startService("low");
  const rowmill = new Rowmill({ baseUrl: url, apiKey: "key", sleep: attentiveSleep({ url }, 0) });
  await expect(rowmill.datasetUploads.waitFor("upl_1")).rejects.toMatchObject({
    code: "insufficient_storage",
    exit: "error",
    advice: expect.stringContaining("Free some space") as string,
  });
});

test("a wait ends with the local service, and at once where its disk is full", async () => {
  const url = await startService("sufficient");
  const ended = new Problem("The local service ended.", "Its log says why.");
  let end: (reason: Error) => void = () => undefined;
  const gone = new Promise<never>((_, reject) => (end = reject));
  const waiting = attentiveSleep({ url, gone }, 0)(LONG_MS);
  end(ended);
  await expect(waiting).rejects.toBe(ended);
  const full = new Problem("The disk is full.", "Free some space.");
  const requireSpace = (): never => {
    throw full;
  };
  await expect(attentiveSleep({ url, requireSpace })(LONG_MS)).rejects.toBe(full);
});

test("a wait ends with the signal of its request, and else when its time is over", async () => {
  const url = await startService("sufficient");
  const sleep = attentiveSleep({ url }, 0);
  const controller = new AbortController();
  const waiting = sleep(LONG_MS, controller.signal);
  controller.abort(new Error("Ctrl-C"));
  await expect(waiting).rejects.toThrow("Ctrl-C");
  await expect(sleep(1)).resolves.toBeUndefined();
});
