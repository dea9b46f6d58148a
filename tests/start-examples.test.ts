/** What a page asks a reader to type before or beside its example: terminals, settings, a line for cron, a configuration of an agent. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "@rowmill/server/config";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { receiverSettings } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import { createTestDatabase, findProgram } from "@rowmill/server/testing/test-database";
import { moduleOf } from "@rowmill/server/testing/test-program";
import { findPython } from "../scripts/checks/python.ts";
import { readRegion } from "../tools/docs/regions.ts";
import { readOptions } from "./crash/options.ts";
import { examplesFolder, repository } from "./support/guide-outputs.ts";
import { PRELUDE, runInHome } from "./support/run-example.ts";

const LONG = { timeout: 900_000 };
const folder = join(repository, "examples", "start");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const PYTHON = findPython();
/** What step 1 of the tutorial needs of the machine: `python3 -m venv` with pip, and pandas. */
const hasPythonTools = PYTHON !== undefined && spawnSync(PYTHON, ["-c", "import ensurepip, pandas, venv"]).status === 0;
const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

async function runStart(name: string, settings: Record<string, string>) {
  return runInHome({ name, text: PRELUDE + read(name), command: ["bash", "-e"], settings });
}

test("every file is run by a test below", () => {
  const source = readFileSync(import.meta.filename, "utf8");
  for (const name of readdirSync(folder)) expect(source).toContain(`"${name}"`);
});

test("backend.sh: a service, and the program beside it", LONG, async () => {
  const { code, output } = await runStart("backend.sh", { FREE_PORT: String(await findFreePort()) });
  expect({ code, output }).toEqual({ code: 0, output });
  const printed = readFileSync(join(examplesFolder, "backend.ts.out"), "utf8").split("\n").slice(1, -2);
  for (const line of printed) expect(output).toContain(line);
});

test.skipIf(!hasPythonTools)(
  "data-science.sh: a service, the practice model, and the client installed by pip without an index",
  LONG,
  async () => {
    const port = String(await findFreePort());
    const text = PRELUDE + read("data-science.sh").replace("npm run demo:model", `npm run demo:model -- ${port}`);
    const { code, output } = await runInHome({
      name: "data-science.sh",
      text,
      command: ["bash", "-e"],
      settings: {
        PYTHON: PYTHON ?? "",
        MODEL_PORT: port,
        // Nothing listens there.
        PIP_INDEX_URL: "http://127.0.0.1:9/simple",
        PIP_DISABLE_PIP_VERSION_CHECK: "1",
      },
    });
    expect({ code, output }).toEqual({ code: 0, output });
    expect(output).toMatch(/rowmill is in \S+\/\.venv\/lib\//);
    expect(output).toContain("{'good': 50, 'bad': 49, 'mixed': 20}");
  },
);

test("admin-key.sh: a start with a new admin key, which then works", LONG, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { code, output } = await runStart("admin-key.sh", {
    ROWMILL_PORT: String(await findFreePort()),
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_DATABASE_URL: database.url,
    ROWMILL_DATABASE_CONNECTIONS: "5",
  });
  expect({ code, output }).toEqual({ code: 0, output });
  expect(JSON.parse(output)).toMatchObject({ data: [] });
});

describe("settings.sh", () => {
  const text = read("settings.sh");
  const regions = [...text.matchAll(/^# #region (.*)$/gm)].map(([, name = ""]) => name);
  /** As a shell sets them. */
  const settingsOf = (region: string): Record<string, string> => {
    const environment = { PATH: process.env["PATH"] ?? "" };
    const printed = execFileSync("bash", ["-ec", `${readRegion(text, region)}\nexport -p`], { env: environment });
    const names = [...printed.toString().matchAll(/^declare -x (ROWMILL_\w+)="(.*)"$/gm)];
    return Object.fromEntries(names.map(([, name = "", value = ""]) => [name, value]));
  };

  test.each(regions)("the service accepts %s", (region) => {
    const settings = settingsOf(region);
    expect(Object.keys(settings).length).toBeGreaterThan(0);
    expect(readConfig({ ROWMILL_DATA_DIR: tmpdir(), ...settings })).toBeDefined();
  });

  test("a service starts with all of them that need no bucket", async () => {
    const settings = Object.assign({}, ...regions.map(settingsOf)) as Record<string, string>; // each is such a record
    delete settings["ROWMILL_STORAGE_URL"];
    const { ROWMILL_EGRESS_EXTRA_CA: extraAuthority = "" } = receiverSettings();
    // The file of the page is on nobody's machine.
    const service = await startTestService({ ...settings, ROWMILL_EGRESS_EXTRA_CA: extraAuthority });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });
});

test("nightly.cron: five fields, and a command that finds the service", async () => {
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const [, fields = "", command = ""] = /^((?:\S+ ){4}\S+) +(.*)$/.exec(read("nightly.cron").trim()) ?? [];
  expect(fields).toMatch(/^[0-5]?\d (?:1?\d|2[0-3]) \* \* \*$/);
  const here = command
    .replace("https://rowmill.example.com", service.url)
    .replace("rmk_…", apiKey)
    .replace("/opt/labels/nightly.sh", "./whoami.sh");
  expect(here).toMatch(/^ROWMILL_URL=\S+ ROWMILL_API_KEY=\S+ \.\/whoami\.sh$/);
  // cron hands the command to a plain shell; nightly.sh itself is run by tests/guide.test.ts.
  const script = `printf '#!/bin/sh\\nexec rowmill whoami\\n' > whoami.sh && chmod +x whoami.sh\n${here}\n`;
  const { code, output } = await runInHome({ name: "line.sh", text: script, command: ["sh"], settings: {} });
  expect({ code, output }).toEqual({ code: 0, output });
  expect(output).toContain(service.url);
});

describe("an agent is configured", () => {
  test("by mcp.json, over stdio", async () => {
    const { client, service, apiKey } = await newAgent();
    const { command, args, env } = serverOf("mcp.json");
    expect(command).toBe("rowmill");
    expect(Object.keys(env ?? {})).toEqual(["ROWMILL_URL", "ROWMILL_API_KEY"]);
    const main = moduleOf(await findProgram(), "packages/cli/src/main.ts");
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: tmpdir(),
      ROWMILL_URL: service.url,
      ROWMILL_API_KEY: apiKey,
    };
    const program = ["--conditions=@rowmill/source", main, ...(args ?? [])];
    await client.connect(new StdioClientTransport({ command: process.execPath, args: program, env: environment }));
    expect((await client.listTools()).tools).toHaveLength(14);
  });

  test("by mcp-http.json, over HTTP", async () => {
    const { client, service, apiKey } = await newAgent();
    const { type, url = "", headers = {} } = serverOf("mcp-http.json");
    expect({ type, headers }).toEqual({ type: "http", headers: { Authorization: "Bearer rmk_…" } });
    const address = new URL(url.replace("https://rowmill.example.com", service.url));
    const own = { authorization: (headers["Authorization"] ?? "").replace("rmk_…", apiKey) };
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers: own } }));
    expect((await client.listTools()).tools).toHaveLength(14);
  });
});

interface AgentServer {
  type?: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
}

const serverOf = (file: string): AgentServer =>
  (JSON.parse(read(file)) as { mcpServers: { rowmill: AgentServer } }).mcpServers.rowmill;

async function newAgent() {
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  return { client, service, apiKey };
}

test.each(["install.sh", "crash.sh"])("%s: each script of npm exists, and takes its arguments", (file) => {
  const lines = read(file).matchAll(/^npm (install|ci|start|run (\S+))(?: -- ([^#\n]*))?/gm);
  const commands = [...lines].map(([, command = "", script, args]) => ({ command, script: script ?? command, args }));
  expect(commands.length).toBeGreaterThan(3);
  // `npm install` itself is run by the guide's tests, the demo by `npm test`.
  const named = commands.map(({ script }) => script).filter((script) => script !== "install" && script !== "ci");
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  for (const { args } of commands.filter(({ script }) => script === "test:crash"))
    expect(() => readOptions((args ?? "").trim().split(/ +/))).not.toThrow();
});
