/** Every example of the guide runs against a real service, and prints what the pages quote. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { Client } from "pg";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { roleNames } from "@rowmill/server/platform/database/role-rights";
import { startBatchProvider } from "@rowmill/server/testing/batch-provider";
import type { BatchProvider } from "@rowmill/server/testing/batch-provider";
import { startTestService } from "@rowmill/server/testing/service";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import type { TestService } from "@rowmill/server/testing/service";
import { startModel } from "../examples/demo/model.ts";
import type { DemoModel } from "../examples/demo/model.ts";
import { findPython } from "../scripts/checks/python.ts";
import { compareOutput, examplesFolder, quotedRegions } from "./support/guide-outputs.ts";
import { PRELUDE, runInHome } from "./support/run-example.ts";
import { findFreePort } from "@rowmill/server/platform/free-port";

const PYTHON = findPython();
const INTERPRETERS: Readonly<Record<string, string[] | undefined>> = {
  ".sh": ["bash"],
  ".ts": [process.execPath, "--conditions=@rowmill/source"],
  ".py": PYTHON === undefined ? undefined : [PYTHON, "-W", "ignore", "-B"],
};
/** It starts two services and a dozen commands, one after the other. */
const QUICKSTART = { timeout: 900_000 };
/** Fewer than there are different reviews: rows with the same one may take its output from the cache, so that no more calls are certain. */
const CALLS_BEFORE_KILL = 5;
/** It has its own service, which it kills. */
const OWN_SERVICE = "quickstart.sh";
/** It starts services as an operator does: one with its own PostgreSQL, then three on the PostgreSQL of the tests. */
const OWN_INSTALLATION = "operations.sh";
const PANDAS_EXAMPLE = "data_science.py";
const hasPandas = (): boolean => PYTHON !== undefined && spawnSync(PYTHON, ["-c", "import pandas"]).status === 0;
const examples = readdirSync(examplesFolder).filter((name) => [".sh", ".ts", ".py"].includes(extname(name)));

let service: TestService;
let model: DemoModel;
let hold: (requests: number) => Promise<void> = () => Promise.resolve();
/** Has batch endpoints; its batches end as soon as they are looked at. */
let batchProvider: BatchProvider;
/** An API of somebody else's, which examples send rows to. */
let otherService: string;
let freePort: number;
const quoted = quotedRegions();

beforeAll(async () => {
  [service, model, batchProvider] = await Promise.all([
    startTestService({ ROWMILL_MODE: "development", ROWMILL_BATCH_POLL_SECONDS: "1" }),
    startModel(0, (requests) => hold(requests)),
    startBatchProvider(),
  ]);
  cleanUpLater(() => model.close());
  [otherService, freePort] = await Promise.all([startOtherService(), findFreePort()]);
});

describe("the example", () => {
  test.for(examples.filter((name) => ![OWN_SERVICE, OWN_INSTALLATION].includes(name)))("%s", async (name, { skip }) => {
    const command = INTERPRETERS[extname(name)];
    if (command === undefined) return skip("Python 3.9 or newer is not installed");
    if (name === PANDAS_EXAMPLE && !hasPandas()) return skip("pandas is not installed");
    const { code, output } = await runExample(name, command, await newSettings());
    expect({ code, output }).toEqual({ code: 0, output });
    expectQuotedOutput(name, output);
  });

  test("nightly.yml, whose steps run one after the other", async () => {
    const workflow = readFileSync(join(examplesFolder, "nightly.yml"), "utf8");
    const steps = [...workflow.matchAll(/^ +run: \|\n((?: {10}.*\n)+)/gm)].map(([, commands = ""]) => commands);
    expect(steps).toHaveLength(2);
    const { code, output, home } = await runExample("nightly.yml", ["bash", "-e"], await newSettings(), {
      text: steps.join("\n"),
    });
    expect({ code, output }).toEqual({ code: 0, output });
    expect(readFileSync(join(home, "moods.csv"), "utf8")).toContain('"row_state"');
  });

  test("operations.sh: a backup of one process becomes an API and two workers on another PostgreSQL", async () => {
    const database = await createAsThePageSays();
    const settings = {
      ROWMILL_PORT: String(await findFreePort()),
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_DATABASE_CONNECTIONS: "5",
      ROWMILL_INIT_ORGANIZATION: "Acme",
      ROWMILL_INIT_KEY_FILE: "key",
    };
    const text = readFileSync(join(examplesFolder, OWN_INSTALLATION), "utf8")
      .replaceAll(/postgres:\S+/g, database)
      .replaceAll(/(\/var\/lib|\/srv|\/backups)(?=\/)/g, "$HOME$1");
    const { code, output, home } = await runExample(OWN_INSTALLATION, ["bash"], settings, { text });
    expect({ code, output }).toEqual({ code: 0, output });
    expect(output).toMatch(/^Restored: /m);
    expect(readFileSync(join(home, "moods.csv"), "utf8").trim().split("\n")).toHaveLength(121);
  });

  test(
    "quickstart.sh, with kill -9 of the service and of its database in the middle of the run",
    QUICKSTART,
    async () => {
      // However slow the machine, the run is not over before the kill, or before the command goes on with it: the model waits for both.
      const restarted = Promise.withResolvers<void>();
      const before = model.bill.requests;
      hold = (requests) => (requests - before < CALLS_BEFORE_KILL ? Promise.resolve() : restarted.promise);
      const { code, output, home } = await runExample(
        OWN_SERVICE,
        ["bash"],
        {},
        {
          onOutput: (soFar) => {
            if (soFar.includes("Going on with run_")) restarted.resolve();
          },
        },
      );
      expect({ code, output }).toEqual({ code: 0, output });
      expectQuotedOutput(OWN_SERVICE, output);
      // It was killed in the middle: some rows were done, and not all.
      expect(output).toMatch(/state +running\nrows +120: [1-9]\d* pending.* [1-9]\d* succeeded/);
      const lines = readFileSync(join(home, "first", "labeled.csv"), "utf8")
        .trim()
        .split("\n");
      expect(lines).toHaveLength(121);
    },
  );
});

test("each recorded output belongs to an example", () => {
  const recorded = readdirSync(examplesFolder).filter((name) => name.endsWith(".out"));
  expect(recorded.map((name) => name.slice(0, -".out".length)).toSorted()).toEqual([...quoted.keys()].toSorted());
});

/** The statements of the page, with names that no other test has. Responds with the address of the database. */
async function createAsThePageSays(): Promise<string> {
  const name = `guide_${randomBytes(6).toString("hex")}`;
  const statements = readFileSync(join(examplesFolder, "database.sql"), "utf8").replaceAll("rowmill", name);
  const database = await createTestDatabase();
  const { url } = database;
  onTestFinished(() => database.drop());
  await runAsSuperuser(url, statements.trim().split("\n"));
  onTestFinished(async () => {
    const [{ oid } = { oid: "" }] = await runAsSuperuser(url, [
      `select oid::text from pg_roles where rolname = '${name}'`,
    ]);
    await runAsSuperuser(url, [`drop database ${name} with (force)`]);
    await runAsSuperuser(url, [
      ...roleNames.map((role) => `drop role if exists rowmill_${role}_${oid}`),
      `drop role ${name}`,
    ]);
  });
  return Object.assign(new URL(url), { username: name, password: "password", pathname: `/${name}` }).href;
}

/** One after the other, each alone: a database is not created within a transaction. Responds with the rows of the last one. */
async function runAsSuperuser(url: string, statements: string[]): Promise<{ oid: string }[]> {
  const superuser = new Client({ connectionString: url });
  await superuser.connect();
  try {
    let rows: { oid: string }[] = [];
    for (const statement of statements) ({ rows } = await superuser.query<{ oid: string }>(statement));
    return rows;
  } finally {
    await superuser.end();
  }
}

function expectQuotedOutput(name: string, output: string): void {
  const example = name.endsWith(".sh") ? name.slice(0, -".sh".length) : name;
  const regions = quoted.get(example);
  if (regions === undefined) return;
  // A program's output is one region.
  const inRegions = name.endsWith(".sh") ? output : `# #region output\n${output}`;
  const [expected, printed] = compareOutput(example, inRegions, regions);
  expect(printed).toEqual(expected);
}

/** Of an organization that has what examples of schedules find by name. */
async function newSettings(): Promise<Record<string, string>> {
  const { apiKey } = await service.newOrganization();
  const rowmill = new Rowmill({ baseUrl: service.url, apiKey });
  await rowmill.datasets.upload({ name: "Reviews", file: join(examplesFolder, "reviews.csv") });
  await rowmill.jobSpecs.create({ name: "Moods", processor: { type: "mock" } });
  return { ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey, ADMIN_KEY: service.adminKey };
}

interface Watched {
  /** Instead of what stands in the file. */
  text?: string;
  /** Called with all that it has printed so far. */
  onOutput?: (output: string) => void;
}

async function runExample(
  name: string,
  command: string[],
  settings: Record<string, string>,
  { text, onOutput }: Watched = {},
) {
  const { code, output, home } = await runInHome({
    name,
    text: inTest(name, text ?? readFileSync(join(examplesFolder, name), "utf8")),
    command,
    settings: { OPENAI_BASE_URL: model.baseUrl, ...settings },
    ...(onOutput === undefined ? {} : { onOutput }),
  });
  return { code, output: inGuide(output, home), home };
}

/** The same text where other ports are in use; shell scripts also say which region begins. */
function inTest(name: string, text: string): string {
  const here = text
    .replaceAll("http://127.0.0.1:11500/v1", model.baseUrl)
    .replaceAll("https://api.example.com", otherService)
    .replaceAll('"baseUrl": "https://api.openai.com/v1"', `"baseUrl": "${model.baseUrl}"`)
    .replaceAll("--base-url https://api.openai.com/v1", `--base-url ${model.baseUrl}`)
    .replaceAll('"https://api.openai.com/v1",\n  secret', `"${batchProvider.baseUrl}",\n  secret`)
    .replaceAll(/\b3055\b/g, String(freePort));
  return name.endsWith(".sh") ? PRELUDE + here.replaceAll(/^# #region (.*)$/gm, "echo '# #region $1'") : here;
}

const inGuide = (output: string, home: string): string =>
  output
    .replaceAll(model.baseUrl, "http://127.0.0.1:11500/v1")
    .replaceAll(otherService, "https://api.example.com")
    // An id may contain the same digits.
    .replaceAll(`http://localhost:${freePort}/`, "http://localhost:3055/")
    .replaceAll(
      /(Service +http:\/\/127\.0\.0\.1:)\d+( .*127\.0\.0\.1:)\d+/g,
      (_, service: string, docs: string) => `${service}8080${docs}8080`,
    )
    // The quickstart goes into a folder of its own.
    .replaceAll(`${home}/first/`, "")
    .replaceAll(`${home}/`, "");

/** `GET /companies/7` has a city, `GET /companies/3` is not there. */
async function startOtherService(): Promise<string> {
  const cities = ["Lyon", "Porto", "Graz", "Ghent"];
  const server = createServer((request, response) => {
    const id = Number(/^\/companies\/(\d+)$/.exec(request.url ?? "")?.[1]);
    const found = Number.isInteger(id) && id !== 3;
    const body = found ? { id, city: cities[id % cities.length], employees: 10 * id } : { error: "not found" };
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}
