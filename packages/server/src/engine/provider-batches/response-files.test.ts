/** Files of responses as providers and those between them and us leave them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openResponseFiles } from "./response-files.ts";
import type { ResponseFiles } from "./response-files.ts";
import { customIdOf, rowOfCustomId } from "./batch-pass.ts";

const batch = { id: "01a1f8b4-4483-700d-adb5-5ee66a2103ed" };
const api = {
  maxLineBytes: 9 * 1024 * 1024,
  readLine: ({ custom_id: customId, text }: Record<string, unknown>) =>
    typeof customId === "string"
      ? { customId, response: typeof text === "string" ? { status: 200, headers: {}, body: text } : undefined }
      : undefined,
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "rowmill-responses-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function open(...contents: string[]): Promise<ResponseFiles> {
  const paths = await Promise.all(
    contents.map(async (content, number) => {
      const path = join(directory, `${number}.jsonl`);
      await writeFile(path, content);
      return path;
    }),
  );
  return openResponseFiles(paths, api, (customId) => rowOfCustomId(batch, customId));
}

const line = (index: number, text?: string): string => JSON.stringify({ custom_id: customIdOf(batch, index), text });

test("each response is found by its row, whatever the order, the file and its last line", async () => {
  const long = "ä".repeat(100_000);
  const responses = await open(
    `${line(70_000, "last")}\r\n\n${line(3, long)}\n${line(0, "first")}`,
    `${line(5, "other")}\n`,
  );
  for (const [index, text] of [
    [0, "first"],
    [3, long],
    [5, "other"],
    [70_000, "last"],
  ] as const)
    expect((await responses.find(index))?.body).toBe(text);
  expect(await responses.find(1)).toBeUndefined();
  expect(responses.counts).toEqual({ responses: 4, withoutResponse: 0, repeated: 0, foreign: 0, unreadable: 0 });
  await responses.close();
});

test("what is no response is counted, and the first of two is the one that counts", async () => {
  const responses = await open(
    [
      line(1, "yes"),
      line(1, "no"),
      line(2),
      `{"custom_id":"${customIdOf(batch, 3)}`,
      "null",
      "[]",
      '{"custom_id":"somebody-elses"}',
      JSON.stringify({ custom_id: customIdOf({ id: "01a1f8b4-4483-700d-adb5-5ee66a2103ee" }, 4), text: "foreign" }),
      "<html>",
    ].join("\n"),
  );
  expect((await responses.find(1))?.body).toBe("yes");
  expect(await responses.find(4)).toBeUndefined();
  expect(responses.counts).toEqual({ responses: 1, withoutResponse: 1, repeated: 1, foreign: 2, unreadable: 4 });
  await responses.close();
});

test("a line that is larger than any response may be is left out, and those after it are found", async () => {
  const responses = await open(`${line(1, "x".repeat(9 * 1024 * 1024))}\n${line(2, "small")}\n`);
  expect(await responses.find(1)).toBeUndefined();
  expect((await responses.find(2))?.body).toBe("small");
  expect(responses.counts).toMatchObject({ responses: 1, unreadable: 1 });
  await responses.close();
});
