/** Every example of the guide runs against a real service, and prints what the pages quote. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, extname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { startBatchProvider } from "@rowmill/server/testing/batch-provider";
import type { BatchProvider } from "@rowmill/server/testing/batch-provider";
import { startTestService } from "@rowmill/server/testing/service";
import { compileCacheOf, moduleOf } from "@rowmill/server/testing/test-program";
import { createTestDatabase, findProgram } from "@rowmill/server/testing/test-database";
import type { TestService } from "@rowmill/server/testing/service";
import { startModel } from "../examples/demo/model.ts";
import type { DemoModel } from "../examples/demo/model.ts";
import { findPython } from "../scripts/checks/python.ts";
import { compareOutput, examplesFolder, quotedRegions, repository } from "./support/guide-outputs.ts";
import { findFreePort } from "@rowmill/server/platform/free-port";

const PYTHON = findPython();
const INTERPRETERS: Readonly<Record<string, string[] | undefined>> = {
  ".sh": ["bash"],
  ".ts": [process.execPath, "--conditions=@rowmill/source"],
  ".py": PYTHON === undefined ? undefined : [PYTHON, "-W", "ignore", "-B"],
};
/** The longest takes half a minute where nothing else runs. */
const EXAMPLE_LIMIT_MS = 560_000;
/** It starts two services and a dozen commands, one after the other. */
const QUICKSTART = { timeout: 900_000 };
const ROWS_BEFORE_KILL = 30;
/** It has its own service, which it kills. */
const OWN_SERVICE = "quickstart.sh";
/** It starts services as an operator does: one with its own PostgreSQL, then three on the PostgreSQL of the tests. */
const OWN_INSTALLATION = "operations.sh";
const PANDAS_EXAMPLE = "data_science.py";
const hasPandas = (): boolean => PYTHON !== undefined && spawnSync(PYTHON, ["-c", "import pandas"]).status === 0;
const examples = readdirSync(examplesFolder).filter((name) => [".sh", ".ts", ".py"].includes(extname(name)));

/** What the guide leaves to the reader's patience: the line after which a person would go on. */
const PRELUDE = `set -m
trap 'kill $(jobs -p) 2>/dev/null' EXIT
trap 'exit 143' TERM
until_ready() { until curl -sf "http://127.0.0.1:$ROWMILL_PORT/readyz" >/dev/null; do sleep 0.2; done; }
until_it_listens() { until rowmill whoami >/dev/null 2>&1; do sleep 0.5; done; }
until_port_listens() { until (echo >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do sleep 0.2; done; }
until_events_are_forwarded() { until [ -e ~/.local/share/rowmill/listen.json ]; do sleep 0.2; done; }
until_rows_succeed() { until rowmill runs show @last --json 2>/dev/null | grep -q '"succeeded": *[1-9]'; do sleep 0.2; done; }
`;

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
    expect({ code, output }).toMatchObject({ code: 0 });
    expectQuotedOutput(name, output);
  });

  test("nightly.yml, whose steps run one after the other", async () => {
    const workflow = readFileSync(join(examplesFolder, "nightly.yml"), "utf8");
    const steps = [...workflow.matchAll(/^ +run: \|\n((?: {10}.*\n)+)/gm)].map(([, commands = ""]) => commands);
    expect(steps).toHaveLength(2);
    const { code, output, home } = await runExample("nightly.yml", ["bash", "-e"], await newSettings(), {
      text: steps.join("\n"),
    });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, "moods.csv"), "utf8")).toContain('"row_state"');
  });

  test("operations.sh: a backup of one process becomes an API and two workers on another PostgreSQL", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const settings = {
      ROWMILL_PORT: String(await findFreePort()),
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_DATABASE_CONNECTIONS: "5",
      ROWMILL_INIT_ORGANIZATION: "Acme",
      ROWMILL_INIT_KEY_FILE: "key",
    };
    const text = readFileSync(join(examplesFolder, OWN_INSTALLATION), "utf8")
      .replaceAll(/postgres:\S+/g, database.url)
      .replaceAll(/(\/var\/lib|\/srv|\/backups)(?=\/)/g, "$HOME$1");
    const { code, output, home } = await runExample(OWN_INSTALLATION, ["bash"], settings, { text });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/^Restored: /m);
    expect(readFileSync(join(home, "moods.csv"), "utf8").trim().split("\n")).toHaveLength(121);
  });

  test(
    "quickstart.sh, with kill -9 of the service and of its database in the middle of the run",
    QUICKSTART,
    async () => {
      // However slow the machine, the run is not over before the kill: the model waits for it.
      const restarted = Promise.withResolvers<void>();
      const before = model.bill.requests;
      hold = (requests) => (requests - before < ROWS_BEFORE_KILL ? Promise.resolve() : restarted.promise);
      const { code, output, home } = await runExample(
        OWN_SERVICE,
        ["bash"],
        {},
        {
          onOutput: (soFar) => {
            if (soFar.includes("# #region again")) restarted.resolve();
          },
        },
      );
      expect({ code, output }).toMatchObject({ code: 0 });
      expectQuotedOutput(OWN_SERVICE, output);
      // It was killed in the middle: some rows were done, and not all.
      expect(output).toMatch(/state +running\nrows +120: [1-9]\d* pending.* [1-9]\d* succeeded/);
      const lines = readFileSync(join(home, "labeled.csv"), "utf8").trim().split("\n");
      expect(lines).toHaveLength(121);
    },
  );
});

test("each recorded output belongs to an example", () => {
  const recorded = readdirSync(examplesFolder).filter((name) => name.endsWith(".out"));
  expect(recorded.map((name) => name.slice(0, -".out".length)).toSorted()).toEqual([...quoted.keys()].toSorted());
});

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
  return { ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey };
}

interface Watched {
  /** Instead of what stands in the file. */
  text?: string;
  /** Called with all that it has printed so far. */
  onOutput?: (output: string) => void;
}

/** In a home of its own, which has the files of the guide and the command `rowmill`. */
async function runExample(
  name: string,
  command: string[],
  settings: Record<string, string>,
  { text, onOutput = () => undefined }: Watched = {},
) {
  const home = mkdtempSync(join(tmpdir(), "rowmill-guide-"));
  onTestFinished(async () => {
    await killEmbeddedDatabase(join(home, ".local", "share", "rowmill", "dev", "data"));
    await killEmbeddedDatabase(join(home, "var", "lib", "rowmill"));
    rmSync(home, { recursive: true, force: true });
  });
  for (const file of readdirSync(examplesFolder)) cpSync(join(examplesFolder, file), join(home, file));
  cpSync(join(repository, "examples", "receivers"), join(home, "receivers"), { recursive: true });
  // Node finds the client from where the example lies.
  symlinkSync(join(repository, "node_modules"), join(home, "node_modules"));
  const script = join(home, name);
  writeFileSync(script, inTest(name, text ?? readFileSync(script, "utf8")));
  mkdirSync(join(home, "bin"));
  const programs = await findProgram();
  const main = moduleOf(programs, "packages/cli/src/main.ts");
  // Ports of the guide may be in use here.
  writeFileSync(
    join(home, "bin", "rowmill"),
    `#!/bin/sh\n[ "$1" = dev ] && set -- "$@" --port 0\nexec "${process.execPath}" --conditions=@rowmill/source "${main}" "$@"\n`,
    { mode: 0o755 },
  );
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, script], {
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      HOME: home,
      PATH: [join(home, "bin"), join(process.execPath, ".."), process.env["PATH"]].join(delimiter),
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: compileCacheOf(programs),
      // Airflow is not installed for a page: a stand-in calls the tasks in their order.
      PYTHONPATH: [join(repository, "clients", "python", "src"), join(repository, "tests", "support", "airflow")].join(
        delimiter,
      ),
      PYTHONDONTWRITEBYTECODE: "1",
      OPENAI_BASE_URL: model.baseUrl,
      ...settings,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
      onOutput(output);
    });
  // One that hangs ends with what it has printed.
  const timer = setTimeout(() => child.kill("SIGTERM"), EXAMPLE_LIMIT_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(timer);
  return { code, output: inGuide(output, home), home };
}

/** The same text where other ports are in use; shell scripts also say which region begins. */
function inTest(name: string, text: string): string {
  const here = text
    .replaceAll("http://127.0.0.1:11500/v1", model.baseUrl)
    .replaceAll("https://api.example.com", otherService)
    .replaceAll('"baseUrl": "https://api.openai.com/v1"', `"baseUrl": "${model.baseUrl}"`)
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
