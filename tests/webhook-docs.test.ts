/** docs/webhooks.md says what is: its code is that of the tested receivers, its events are those of the contract. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deliverableEventTypes, eventTypes } from "@rowmill/contract/events";
import { SMALL_RESPONSE_BYTES } from "@rowmill/server/platform/egress/egress";
import { ATTEMPT_TIMEOUT_MS } from "@rowmill/server/delivery/webhooks/webhook-attempt";
import { DEFAULT_RETRY_SCHEDULE } from "@rowmill/server/delivery/webhooks/retry-schedule";
import { makeTestPayload } from "@rowmill/server/delivery/webhooks/test-events";
import { expectStatus } from "@rowmill/server/testing/api";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { receiversFolder } from "./support/receivers.ts";

const webhooksFolder = join(import.meta.dirname, "..", "examples", "webhooks");
const docs = readFileSync(new URL("../docs/webhooks.md", import.meta.url), "utf8");
const blocks = [...docs.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const files = globSync("*/*.*", { cwd: receiversFolder }).toSorted();

test.each(files)("the docs show examples/receivers/%s as it is", (file) => {
  expect(blocks.map(({ text }) => text)).toContain(readFileSync(join(receiversFolder, file), "utf8"));
});

test("no receiver in the docs is without a file", () => {
  const shown = blocks.filter(({ language }) => ["js", "ts", "python", "go"].includes(language));
  const texts = files.map((file) => readFileSync(join(receiversFolder, file), "utf8"));
  expect(shown.filter(({ text }) => !texts.includes(text))).toEqual([]);
  expect(shown.length).toBeGreaterThan(10);
});

test("the table of events is that of the contract", () => {
  const rows = docs.split("\n").filter((line) => /^\| `\w+\.\w+` \|/.test(line));
  expect(rows).toEqual(
    deliverableEventTypes.map(
      (type) => `| \`${type}\` | \`${eventTypes[type].object}\` | ${eventTypes[type].meaning} |`,
    ),
  );
});

test("the examples of events have the members of real ones", () => {
  const examples = blocks.filter(({ language }) => language === "json");
  const [envelope, others] = examples.map(({ text }) => JSON.parse(text) as unknown);
  const samples = deliverableEventTypes.map((type) => {
    const uuid = "0199ac8d-93f2-7999-8b0d-1a06299d8fba";
    const payload = makeTestPayload(uuid, uuid, type, uuid, new Date());
    return JSON.parse(payload) as { type: string; data: { object: string } };
  });
  expect(Object.keys(envelope as object)).toEqual(Object.keys(samples[0] ?? {}));
  const { data } = envelope as { data: { object: string } };
  for (const example of [data, ...(others as { object: string }[])]) {
    if (example.object === "run_row_digest") continue; // no test event imitates it
    const alike = samples.filter((sample) => sample.data.object === example.object);
    expect(alike.map((sample) => Object.keys(sample.data).toSorted())).toContainEqual(Object.keys(example).toSorted());
  }
});

test("the request of the docs has the headers of a real one, in their form", async () => {
  const receiver = await startReceiver();
  const service = await startTestService(receiverSettings(receiver));
  const { api } = await service.newOrganization();
  const made = await api("POST", "/v1/webhook-endpoints", { body: { url: receiver.url, eventTypes: ["*"] } });
  expectStatus(made, 201);
  expectStatus(await api("POST", `/v1/webhook-endpoints/${made.body["id"]}/test`), 200);
  const [request] = await receiver.waitForRequests(1);
  const [line, ...headers] = readFileSync(join(webhooksFolder, "request.http"), "utf8").trim().split("\n");
  expect(line).toBe("POST /hooks/rowmill HTTP/1.1");
  // Digits and letters of ids, times and digests differ; what the page cuts short ends with three dots.
  const formOf = (value: string): string => value.replace(/…$/, "").replaceAll(/[\da-zA-Z+/=]+$/g, "x");
  const shown = headers
    .map((header) => header.split(": "))
    .map(([name = "", value = ""]) => [name.toLowerCase(), value]);
  const sent = request?.headers ?? {};
  expect(Object.keys(sent)).toEqual(expect.arrayContaining(shown.map(([name]) => name)));
  const startOf = ([name = "", value = ""]: string[]): string => `${name}: ${formOf(value).slice(0, 4)}`;
  const comparable = shown.filter(([name]) => name !== "host");
  expect(comparable.map(startOf)).toEqual(comparable.map(([name = ""]) => startOf([name, sent[name] ?? ""])));
  const own = Object.keys(sent).filter((name) => name.includes("webhook"));
  expect(shown.map(([name]) => name)).toEqual(expect.arrayContaining(own));
});

test("the statement of the docs stores an event once", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("create table webhook_events (id text primary key, body jsonb not null)");
    const statement = readFileSync(join(webhooksFolder, "store.sql"), "utf8");
    const event = readFileSync(join(webhooksFolder, "event.json"), "utf8");
    const counts: (number | null)[] = [];
    for (const id of ["evt_1", "evt_1", "evt_2"]) counts.push((await client.query(statement, [id, event])).rowCount);
    expect(counts).toEqual([1, 0, 1]);
  } finally {
    await client.end();
  }
});

test("times and limits are those of the service", () => {
  const inWords = (seconds: number) =>
    seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
  const [first, ...others] = DEFAULT_RETRY_SCHEDULE;
  expect(first).toBe(0);
  const waits = others.map(inWords);
  expect(docs).toContain(`at once, then after ${waits.slice(0, -1).join(", ")} and ${waits.at(-1)}`);
  expect(docs).toContain(`within ${ATTEMPT_TIMEOUT_MS / 1_000} seconds`);
  expect(docs).toContain(`above ${SMALL_RESPONSE_BYTES / 1_024} KiB`);
});
