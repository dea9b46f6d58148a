import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

test("where the output of no row fits its schema, the last lines advise a change, and a retry only where some rows fit", async () => {
  const service = await startTestService({ ROWMILL_MODE: "development" });
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const at = (name: string): string => join(folder, name);
  const code = "export default ({ id }) => ({ n: id === 1 ? id : `${id}` })";
  const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
  writeFileSync(at("spec.json"), JSON.stringify({ processor: { type: "transform", code }, outputSchema }));
  const map = async (rows: string): Promise<string> => {
    writeFileSync(at("in.csv"), `id\n${rows}`);
    const spec = ["--spec", at("spec.json")];
    const args = ["map", at("in.csv"), ...spec, "-o", at("out.csv"), "--force"];
    return (await typeCommand({ environment, directory: folder }, ...args)).stdout;
  };
  expect(await map("2\n3\n")).toMatch(
    /must be integer, not string\.\n {2}Correct the output schema, or the request or code .+\n(.+\n)?Next, with the change: (?!.*--retry)/,
  );
  expect(await map("1\n2\n3\n")).toMatch(
    /must be integer, not string\.\n(?! {2}Correct).*\n?Next: rowmill map .+ --retry\n$/,
  );
});
