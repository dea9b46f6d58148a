import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startModelServer } from "@rowmill/server/testing/model-server";
import type { ModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { requireModelServer } from "./model-server.ts";
import { newPlace, runCommand, runInBackground, runInTerminal, startCommand } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

const KEY = "sk-never-printed-0123456789";
let service: TestService;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer();
  service = await startTestService({ ROWMILL_MODE: "development" });
});

/** A place with a table of companies, on an organization of its own. */
async function place(rows = 8): Promise<Place> {
  const { apiKey } = await service.newOrganization();
  const made = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const lines = Array.from({ length: rows }, (_, at) => `${at},Company ${at}`);
  writeFileSync(join(made.folder, "in.csv"), `id,company\n${lines.join("\n")}\n`);
  model.calls.length = 0;
  model.respond = ({ prompt }) => ({ text: JSON.stringify({ industry: `of ${prompt}` }) });
  return made;
}
/** The model is on this machine, so its key is not needed and its price is nothing unless one is given. */
const ask = (...more: string[]): string[] => [
  "map",
  "in.csv",
  "--prompt",
  "{{company}}",
  "--model",
  "small",
  "--base-url",
  model.baseUrl,
  "--out",
  "industry",
  ...more,
];
const read = (made: Place, name: string): string => readFileSync(join(made.folder, name), "utf8");

test("a file becomes a flat table: the input, the output, the state of each row, in order", async () => {
  const made = await place(3);
  const { code, stdout } = await runCommand(made, ...ask("-o", "out.csv"));
  expect(code).toBe(0);
  const file = read(made, "out.csv");
  expect(file.split("\n")).toEqual([
    '"id","company","industry","row_state","failure_code"',
    '0,"Company 0","of Company 0","succeeded",',
    '1,"Company 1","of Company 1","succeeded",',
    '2,"Company 2","of Company 2","succeeded",',
    "",
  ]);
  expect(stdout).toContain(createHash("sha256").update(file).digest("hex"));
});

test("without -o the rows come as JSON lines in order, and nothing else is on stdout", async () => {
  const made = await place(3);
  const { code, stdout } = await runCommand(made, ...ask());
  expect(code).toBe(0);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object); // lines of our own
  expect(rows).toHaveLength(3);
  expect(rows[1]).toEqual({
    id: 1,
    company: "Company 1",
    industry: "of Company 1",
    row_state: "succeeded",
    failure_code: null,
  });
});

test("where nobody can agree to a price it stops with 6 before a call is made, and --max-cost agrees beforehand", async () => {
  const made = await place();
  const refused = await runCommand(made, ...ask("--price", "1/2", "-o", "out.csv"));
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringMatching(/8 rows: \$.*--max-cost/s) as string });
  expect(model.calls).toHaveLength(0);
  expect((await runCommand(made, ...ask("--price", "1/2", "--max-cost", "1", "-o", "out.csv"))).code).toBe(0);
  expect(model.calls).toHaveLength(8);
});

test("a budget that is used up pauses the run with 6, and a larger one goes on without paying twice", async () => {
  const made = await place(200);
  model.respond = ({ prompt }) => ({
    text: JSON.stringify({ industry: prompt }),
    inputTokens: 1000,
    outputTokens: 1000,
  });
  const priced = ["--price", "10/10", "--max-output-tokens", "1000", "--concurrency", "4", "-o", "out.csv"];
  const stopped = await runCommand(made, ...ask(...priced, "--max-cost", "1"));
  expect(stopped).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(
      /The budget of \$1\.00 is used up: .+ rows are left\.\n {2}.+ --max-cost AMOUNT/,
    ) as string,
  });
  // 200 rows of 1,000 tokens in and out.
  expect(stopped.stderr).toContain(" At $0.020 a row so far, the whole run costs about $4.00. Calls reserve the most");
  expect((await runCommand(made, "runs", "show", "@last")).stdout).toMatch(
    /next +rowmill resume \S+ --max-cost AMOUNT/,
  );
  expect(await runCommand(made, "resume", "@last")).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("`rowmill resume RUN --max-cost AMOUNT`") as string,
  });
  expect(await runCommand(made, ...ask(...priced, "--max-cost", "1"))).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(
      / in\.csv .+ --max-cost AMOUNT` with a larger amount goes on\. At \$0\.020/,
    ) as string,
  });
  expect((await runCommand(made, ...ask(...priced, "--max-cost", "50"))).code).toBe(0);
  expect(new Set(model.calls.map(({ prompt }) => prompt)).size).toBe(200);
  expect(model.calls).toHaveLength(200);
});

test("the same command again does nothing, and after --retry only what failed is asked again", async () => {
  const made = await place();
  // The follow-up message, which asks for a repair, comes with those before it.
  model.respond = ({ body }) => ({
    text: JSON.stringify(body["messages"]).includes("Company 3") ? "not JSON" : '{"industry":"x"}',
  });
  const first = await runCommand(made, ...ask("-o", "out.csv"));
  expect(first).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/7 of 8 rows succeeded, 1 failed.*--retry/s) as string,
  });
  expect(read(made, "out.csv")).toMatch(/3,"Company 3",.*"failed","output_/);
  // A retry that fails again is a table with a failed row, as before.
  expect((await runCommand(made, ...ask("-o", "out.csv", "--retry"))).code).toBe(3);
  const before = model.calls.length;
  expect((await runCommand(made, ...ask("-o", "out.csv"))).code).toBe(3);
  expect(model.calls).toHaveLength(before);
  model.respond = () => ({ text: '{"industry":"retried"}' });
  expect((await runCommand(made, ...ask("-o", "out.csv", "--retry"))).code).toBe(0);
  expect(model.calls.slice(before).map(({ prompt }) => prompt)).toEqual(["Company 3"]);
  expect(read(made, "out.csv")).toContain('3,"Company 3","retried","succeeded",');
});

test("a command that was killed goes on where it was, also with another concurrency, and pays for no row twice", async () => {
  const made = await place(60);
  let isOpen = false;
  model.respond = async ({ prompt }, number) => {
    if (number > 20) await waitFor(() => isOpen, { what: "the model goes on" });
    return { text: JSON.stringify({ industry: prompt }) };
  };
  const killed = startCommand(made, ...ask("-o", "out.csv", "--concurrency", "4"));
  await waitFor(() => model.calls.length >= 20, { what: "20 rows were asked for" });
  killed.child.kill("SIGKILL");
  await killed.ended;
  isOpen = true;
  const again = await runCommand(made, ...ask("-o", "out.csv", "--concurrency", "8"));
  expect(again.code).toBe(0);
  expect(model.calls).toHaveLength(60);
  expect(read(made, "out.csv").trim().split("\n")).toHaveLength(61);
});

test("Ctrl-C leaves the run, says how to come back, and ends with 130", async () => {
  const made = await place(60);
  let isOpen = false;
  model.respond = async ({ prompt }) => {
    await waitFor(() => isOpen, { what: "the model goes on" });
    return { text: JSON.stringify({ industry: prompt }) };
  };
  const left = startCommand(made, ...ask("-o", "out.csv"));
  await waitFor(() => model.calls.length > 0, { what: "a row was asked for" });
  left.child.kill("SIGINT");
  const { code, stderr } = await left.ended;
  isOpen = true;
  expect(code).toBe(130);
  expect(stderr).toMatch(/Left run_.*come back with:\n {2}rowmill map in\.csv --prompt/s);
});

test("in a terminal the first Ctrl-C says how to come back before the second one ends the command at once", async () => {
  const made = await place(60);
  const isOpen = Promise.withResolvers<undefined>();
  onTestFinished(() => isOpen.resolve(undefined));
  model.respond = async ({ prompt }) => {
    await isOpen.promise;
    return { text: JSON.stringify({ industry: prompt }) };
  };
  const { code, screen } = await runInTerminal(made, ask("--yes", "-o", "out.csv"), [["0%", "\u0003\u0003"]]);
  expect(code).toBe(130);
  expect(screen.match(/Left run_/g)).toHaveLength(1);
  expect(screen).toMatch(/come back with:\s+rowmill map in\.csv --prompt/);
});

test("a model of this machine whose server does not run ends the command before a row is processed", async () => {
  await expect(
    requireModelServer({
      provider: "ollama",
      type: "openai_compatible",
      baseUrl: "http://127.0.0.1:9/v1",
      model: "m",
      apiKey: undefined,
      missingKey: undefined,
      isFree: true,
    }),
  ).rejects.toMatchObject({
    message: 'No server of the model "m" listens at http://127.0.0.1:9.',
    advice: expect.stringContaining("ollama serve") as string,
  });
});

test("a file that is there is replaced only by --force, and a change of the spec is named", async () => {
  const made = await place(2);
  writeFileSync(join(made.folder, "out.csv"), "mine\n");
  const refused = await runCommand(made, ...ask("-o", "out.csv"));
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/out\.csv exists.*--force/s) as string });
  expect(read(made, "out.csv")).toBe("mine\n");
  expect((await runCommand(made, ...ask("-o", "out.csv", "--force"))).code).toBe(0);
  const changed = await runCommand(made, ...ask("-o", "out.csv", "--system", "Be brief."));
  expect(changed).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("What happens to a row changed since run_") as string,
  });
});

test("a prompt that names no column is reported before a call is made", async () => {
  const made = await place();
  const asked = await runCommand(made, ...ask("--price", "1/2", "--prompt", "Which industry?", "-o", "out.csv"));
  expect(asked).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/Warning: No template names a field of the row.*8 rows/s) as string,
  });
  expect(model.calls).toEqual([]);
});

test("in a terminal the first rows are shown before the price, the reply counts, and they are paid once", async () => {
  const made = await place(20);
  const args = ask("--price", "1/2", "-o", "out.csv");
  const no = await runInTerminal(made, args, [["Continue? [Y/n]", "n\r"]]);
  expect(no).toMatchObject({ code: 6, screen: expect.stringContaining("15 more rows: $") as string });
  expect(no.screen).toContain("of Company 4");
  expect(model.calls).toHaveLength(5);
  const yes = await runInTerminal(made, args, [["Continue? [Y/n]", "y\r"]]);
  expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining("20 of 20 rows succeeded") as string });
  expect(model.calls).toHaveLength(20);
});

test.skipIf(process.platform === "win32")(
  "a background job of a terminal asks nothing, since a read would stop it",
  async () => {
    const made = await place(20);
    const { code, screen } = await runInBackground(made, ask("--price", "1/2", "--max-cost", "1", "-o", "out.csv"));
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining("20 of 20 rows succeeded") as string });
    expect(screen).not.toContain("Continue?");
  },
);

test.each([
  [
    "a column that does not exist",
    ["--prompt", "{{compani}}", "--model", "ollama/x"],
    2,
    /no column "compani"\.\n.*Did you mean "company"/,
  ],
  ["nothing to do", [], 2, /Nothing says what happens to a row/],
  ["two ways at once", ["--mock", "--transform", "a.js"], 2, /exclude each other/],
  ["an unknown option", ["--mokc"], 2, /Did you mean --mock/],
  ["a format that is unknown", ["--mock", "-o", "out.xlsx"], 2, /does not say a format/],
  ["a model that nobody knows", ["--prompt", "x", "--model", "nobody"], 2, /Nothing says where the model/],
  ["a missing key", ["--prompt", "x", "--model", "gpt-5-mini"], 4, /There is no key for openai\.\n.*OPENAI_API_KEY/],
  [
    "a secret as an argument",
    ["--http", "GET https://a.example", "--header", "Authorization: x"],
    2,
    /must not be an argument/,
  ],
])("%s: one sentence what, one what to do, and no stack", async (_, args, code, message) => {
  const made = await place();
  const ended = await runCommand(made, "map", "in.csv", ...args);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).not.toMatch(/\n {4}at /);
  expect(ended).toMatchObject({ code, stdout: "" });
});

test("a wrong file, no service and a wrong key have their exit codes, also as JSON", async () => {
  const made = await place();
  expect(await runCommand(made, "map", "none.csv", "--mock")).toMatchObject({ code: 2 });
  const nobody = { ...made, environment: { ...made.environment, ROWMILL_URL: "http://127.0.0.1:1" } };
  const away = await runCommand(nobody, "runs", "--json");
  expect(away.code).toBe(1);
  expect(JSON.parse(away.stdout)).toMatchObject({ error: { code: "no_connection", exitCode: 1 } });
  const wrong = { ...made, environment: { ...made.environment, ROWMILL_API_KEY: "rmk_wrong" } };
  expect(await runCommand(wrong, "runs")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("rowmill login") as string,
  });
});

test("a hosted provider has the prices of the dated list, and the price is agreed to before a call is made", async () => {
  const made = await place(3);
  made.environment["OPENAI_API_KEY"] = "sk-of-nobody";
  const args = ["map", "in.csv", "--prompt", "Say {{company}}", "--model", "gpt-5-mini", "--no-trial"];
  const { code, screen } = await runInTerminal(
    made,
    [...args, "-o", "out.csv"],
    [
      ["as a connection that its users share? [y/N]", "y\r"],
      ["Continue? [Y/n]", "n\r"],
    ],
  );
  expect(screen).toMatch(/Prices are those of the list of \d{4}-\d\d-\d\d, [\d,]+ days old/);
  expect(screen).toMatch(/3 rows: \$[\d.]+–[\d.]+.* Continue\?/);
  expect(code).toBe(6);
  // Without a terminal it stops at the same price, and prices that somebody sets are used from then on.
  expect((await runCommand(made, ...args)).stderr).toMatch(/list of .*3 rows: \$/s);
  const priced = await runCommand(made, ...args, "--price", "1000/1000");
  expect(priced).toMatchObject({ code: 6, stdout: "" });
  expect(priced.stderr).not.toContain("list of");
});

test("a key that the service has already, by `rowmill connect`, is not asked about again, and --price counts", async () => {
  const made = await place(3);
  made.environment["OPENAI_API_KEY"] = KEY;
  const own = await service.newOrganization();
  made.environment["ROWMILL_API_KEY"] = own.apiKey;
  const connection = {
    type: "openai_compatible",
    name: "openai",
    baseUrl: "https://api.openai.com/v1",
    prices: "list",
  };
  const line = ["map", "in.csv", "--prompt", "{{company}}", "--model", "gpt-5-mini", "--price", "1000/1000"];
  const keep = (secret: string) => own.api("POST", "/v1/connections", { body: { ...connection, secret } });
  await keep("sk-another-0987654321");
  expect((await runCommand(made, ...line)).stderr).toContain('It has "openai" at');
  await keep(KEY);
  const { code, stderr } = await runCommand(made, ...line);
  expect([code, stderr]).toEqual([6, expect.stringMatching(/agree to the price: 3 rows: \$/) as string]);
});

test("a provider's key reaches the provider, and no output", async () => {
  const made = await place(2);
  made.environment["OPENAI_API_KEY"] = KEY;
  const question = await runInTerminal(made, ask("--yes", "-o", "out.csv"), [["users share? [y/N]", "y\r"]]);
  expect(question.code).toBe(0);
  expect(model.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(question.screen + read(made, "out.csv") + service.logs().join("")).not.toContain(KEY);
});
