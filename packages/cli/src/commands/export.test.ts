import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

test("a file of failures has the rows that failed, with --include-input or where --columns names one of their columns", async () => {
  const service = await startTestService({ ROWMILL_MODE: "development" });
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const at = (name: string): string => join(folder, name);
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  writeFileSync(at("in.csv"), "domain\na.example\nb.example\n");
  writeFileSync(at("code.js"), 'export default ({ domain }) => { if (domain[0] === "b") throw "no b"; return {}; }');
  await type("map", at("in.csv"), "--transform", at("code.js"), "-o", at("out.csv"));

  const columns = ["--columns", "input.domain,code"];
  expect(await type("export", "-o", at("f.csv"), "--type", "failures", ...columns)).toMatchObject({ stderr: "" });
  expect(readFileSync(at("f.csv"), "utf8")).toBe('"input.domain","code"\n"b.example","transform_error"\n');
  const whole = ["--columns", "code,input"];
  expect(await type("export", "-o", at("w.csv"), "--type", "failures", ...whole)).toMatchObject({ stderr: "" });
  expect(readFileSync(at("w.csv"), "utf8")).toContain("b.example");
  expect((await type("export", "-o", at("f.jsonl"), "--type", "failures", "--include-input")).code).toBe(0);
  expect(JSON.parse(readFileSync(at("f.jsonl"), "utf8"))).toMatchObject({ input: { domain: "b.example" } });
  // What to do is said in options of the command.
  for (const [asked, advice] of [
    ["failures", /write a \.csv or \.parquet file\.\n/],
    ["resolved_results", /, or use --type table\.\n/],
  ] as const)
    expect(await type("export", "-o", at("n.jsonl"), "--type", asked, ...columns)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(advice) as string,
    });
  const table = ["--columns", "domain,row_state"];
  expect((await type("export", "-o", at("t.jsonl"), ...table)).code).toBe(0);
  expect(readFileSync(at("t.jsonl"), "utf8")).toContain('{"domain":"b.example","row_state":"failed"}');
});

test("--delimiter and --bom write a file that Excel opens where the decimal sign is a comma, and are refused for others", async () => {
  const service = await startTestService({ ROWMILL_MODE: "development" });
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const at = (name: string): string => join(folder, name);
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  writeFileSync(at("in.csv"), "\uFEFFName;Ort\r\nMüller;Köln\r\n");
  writeFileSync(at("code.js"), "export default ({ Ort }) => ({ gruss: `Grüße; ${Ort}` })");
  await type("map", at("in.csv"), "--transform", at("code.js"), "-o", at("out.csv"));
  // The table of `map` does not follow the input.
  expect(readFileSync(at("out.csv"), "utf8")).toMatch(/^"Name","Ort","gruss",/);
  expect(await type("export", "-o", at("x.csv"), "--delimiter", ";", "--bom")).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(at("x.csv"), "utf8")).toBe(
    '\uFEFF"Name";"Ort";"gruss";"row_state";"failure_code"\n"Müller";"Köln";"Grüße; Köln";"succeeded";\n',
  );
  for (const [option, ...value] of [["--delimiter", ";"], ["--bom"]])
    expect(await type("export", "-o", at("x.jsonl"), option ?? "", ...value)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`Only a CSV file has a ${option}`) as string,
    });
  expect(await type("export", "-o", at("y.csv"), "--delimiter", "ab")).toMatchObject({ code: 2 });
});
