/** A file that has changed since it was processed: only what is new in it is sent to the model. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import { newPlace, runCommand } from "../testing/command-process.ts";

test("a changed file calls the model for its changed and new rows, and says for how many", async () => {
  const [model, service] = await Promise.all([startModelServer(), startTestService({ ROWMILL_MODE: "development" })]);
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ label: `of ${prompt}` }) });
  const map = (file: string, output: string): ReturnType<typeof runCommand> => {
    const how = ["--prompt", "{{text}}", "--model", "small", "--base-url", model.baseUrl, "--out", "label"];
    return runCommand(place, "map", file, ...how, "--price", "1/1", "--yes", "-o", output);
  };
  writeFileSync(join(place.folder, "monday.csv"), "id,text\n1,one\n2,two\n3,three\n4,four\n");
  expect((await map("monday.csv", "a.csv")).stdout).not.toContain("request");
  model.calls.length = 0;
  // The first row is gone, the third one has changed, the fifth one is new, and the places of the others are not what they were.
  writeFileSync(join(place.folder, "tuesday.csv"), "id,text\n5,five\n2,two\n3,THREE\n4,four\n");
  const { stdout, stderr } = await map("tuesday.csv", "b.csv");
  expect(stderr).toContain("4 rows (the cache has 2 of 4 looked up): $");
  expect(model.calls.map(({ prompt }) => prompt).toSorted()).toEqual(["THREE", "five"]);
  expect(stdout).toContain("4 of 4 rows succeeded, 2 requests, $");
  expect(readFileSync(join(place.folder, "b.csv"), "utf8").split("\n").slice(1, 5)).toEqual([
    '5,"five","of five","succeeded",',
    '2,"two","of two","succeeded",',
    '3,"THREE","of THREE","succeeded",',
    '4,"four","of four","succeeded",',
  ]);
});
