import { expect, test } from "vitest";
import { readRows } from "../runs/read-rows.ts";
import { Collected, terminalWith } from "../testing/in-process.ts";
import { readJsonObject } from "./arguments.ts";

const piped = (stdin: string | undefined) =>
  terminalWith({ stdin, stdout: new Collected(), stderr: new Collected(), environment: {}, directory: "/" });

test("what comes from a pipe is read without its byte order mark, as a file is", async () => {
  expect(await readJsonObject(piped('\uFEFF{"name":"Über"}'), "-")).toEqual({ name: "Über" });
  expect(await readRows(piped('\uFEFF{"id":1}\r\n{"id":2}\r\n'), "-", 5)).toEqual([{ id: 1 }, { id: 2 }]);
});

test.each<[what: string, stdin: string | undefined, message: string]>([
  ["nothing", undefined, "stdin is not JSON: Unexpected end of JSON input."],
  ["a list", "[1]", "stdin is not a JSON object."],
])("a pipe with %s is named as a person knows it", async (_, stdin, message) => {
  await expect(readJsonObject(piped(stdin), "-")).rejects.toMatchObject({ message, exit: "usage" });
});

test("an integer that would become another one is refused, and rows keep theirs", async () => {
  for (const name of ["account", "maximum"])
    await expect(readJsonObject(piped(`{"body":{"${name}":12345678901234567890}}`), "-")).rejects.toMatchObject({
      message: "stdin has the integer 12345678901234567890, of which a number keeps 12345678901234567000.",
      exit: "usage",
    });
  const list = '"list":[9007199254740992,1e30,100000000000000000000000]';
  expect(await readJsonObject(piped(`{${list}}`), "-")).toEqual({ list: [9007199254740992, 1e30, 1e23] });
  await expect(readJsonObject(piped('{"schema":{"maximum":9223372036854775807}}'), "-")).rejects.toMatchObject({
    exit: "usage",
  });
  const schema = '{"maximum":9223372036854775807,"enum":[-9223372036854775808]}';
  const kept = `{"inputSchema":${schema},"processor":{"outputSchema":${schema},"parameters":{"temperature":0.10}}}`;
  const read = await readJsonObject(piped(kept), "-");
  expect(JSON.stringify(read)).toBe(kept.replace("0.10", "0.1"));
  expect(read).toMatchObject({ processor: { parameters: { temperature: 0.1 } } });
  const rows = '{"id":12345678901234567890}';
  expect(JSON.stringify(await readRows(piped(rows), "-", 1))).toBe(`[${rows}]`);
});

test("rows of a pipe that cannot be read are named by their line", async () => {
  await expect(readRows(piped('{"id":1}\n{'), "-", 5)).rejects.toMatchObject({
    message: expect.stringMatching(/^Line 2 of stdin is not JSON: /) as string,
    exit: "usage",
  });
  await expect(readRows(piped(""), "-", 5)).rejects.toMatchObject({ message: "stdin has no rows.", exit: "usage" });
});
