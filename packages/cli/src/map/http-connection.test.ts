/** `--http` with `--connection`: the address, the limits and the secret of a connection of the service. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

const KEY = "sk-never-printed-0123456789";
let service: TestService;
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  service = await startTestService({ ROWMILL_MODE: "development" });
});

/** `rowmill map` over two companies, on an organization that has the connection Here. */
async function newMap() {
  const { apiKey, api } = await service.newOrganization();
  const body = { type: "http", name: "Here", baseUrl: server.baseUrl, secret: KEY };
  await api("POST", "/v1/connections", { body });
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const file = join(folder, "in.csv");
  writeFileSync(file, "id,company\n0,Company 0\n1,Company 1\n");
  const output = join(folder, "out.csv");
  const map = (...args: string[]) =>
    typeCommand({ environment, directory: folder }, "map", file, ...args, "-o", output, "--yes");
  return { map, output };
}

test("the connection's key goes to a path below its address, and the row is the body", async () => {
  const { map, output } = await newMap();
  const headers = ["--header", "authorization: Bearer {{connection.secret}}", "--header", "x-of: {{id}}"];
  const ended = await map("--http", "POST /jobs/{{id}}", "--connection", "Here", ...headers);
  expect(ended).toMatchObject({ code: 0 });
  const sent = server.calls.map(({ headers: of, body }) => [of["x-of"], { key: of.authorization, body }]);
  expect(Object.fromEntries(sent)).toEqual({
    0: { key: `Bearer ${KEY}`, body: { id: 0, company: "Company 0" } },
    1: { key: `Bearer ${KEY}`, body: { id: 1, company: "Company 1" } },
  });
  expect(ended.stderr + readFileSync(output, "utf8")).not.toContain(KEY);
  expect(ended.stderr).not.toContain("is not sent");
});

test("a key that no header sends is noted", async () => {
  const { map } = await newMap();
  const ended = await map("--http", "POST /jobs/{{id}}", "--connection", "Here", "--header", "x-of: {{id}}");
  expect(ended).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /The key of the connection Here is not sent, .+ 'authorization: Bearer \{\{connection\.secret\}\}' does\.\n/,
    ) as string,
  });
});

test.each([
  [
    "a secret as an argument",
    ["--http", "GET /a", "--connection", "Here", "--header", "Authorization: Bearer sk-1"],
    /--connection NAME with --header 'Authorization: \{\{connection\.secret\}\}'/,
  ],
  [
    "a misspelt secret",
    ["--http", "GET /a", "--connection", "Here", "--header", "Authorization: Bearer {{connection.secrt}}"],
    /no such value: \{\{connection\.secrt\}\}\.\n.*\{\{connection\.secret\}\}/,
  ],
  ["a whole address", ["--http", "GET https://a.example", "--connection", "Here"], /does not name a path below/],
  ["a path without a connection", ["--http", "POST /a"], /'POST \/path' with --connection NAME/],
  [
    "a connection that is not there",
    ["--http", "GET /a", "--connection", "There"],
    /no connection "There"\.\n.*`rowmill connect http --name There --base-url URL`/,
  ],
  [
    "code, which calls nobody,",
    ["--transform", "in.csv", "--connection", "Here"],
    /--connection belongs to --prompt and --http, and not to --transform/,
  ],
  [
    "a price of tokens",
    ["--http", "GET http://127.0.0.1:9", "--price", "1/2"],
    /--price belongs to --prompt, and not to --http/,
  ],
  ["a body without a request", ["--mock", "--body", "{}"], /--body belongs to --http, and not to --mock/],
  [
    "a limit beside a job spec",
    ["--spec", "in.csv", "--max-output-tokens", "9"],
    /--max-output-tokens belongs to --prompt, and not to --spec\.\n.*in the file of --spec/,
  ],
])("%s is refused, and nothing is sent", async (_, args, message) => {
  const { map } = await newMap();
  server.calls.length = 0;
  expect(await map(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) as string });
  expect(server.calls).toEqual([]);
});
