/** docs/webhooks.md says what is: its code is that of the tested receivers, its events are those of the contract. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deliverableEventTypes, eventTypes } from "@rowmill/contract/events";
import { SMALL_RESPONSE_BYTES } from "@rowmill/server/platform/egress/egress";
import { ATTEMPT_TIMEOUT_MS } from "@rowmill/server/delivery/webhooks/webhook-attempt";
import { DEFAULT_RETRY_SCHEDULE } from "@rowmill/server/delivery/webhooks/retry-schedule";
import { makeTestPayload } from "@rowmill/server/delivery/webhooks/test-events";
import { expect, test } from "vitest";
import { receiversFolder } from "./support/receivers.ts";

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
