/** Every command ends by the table of exit codes where it cannot go on: what was typed, the key, the service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commands } from "../commands.ts";
import { typeCommand } from "../testing/in-process.ts";

/** A port that `fetch` never calls. */
const SILENT_URL = "http://127.0.0.1:1";

/** Commands that use a service, with arguments that name nothing that it has. */
const withService: Readonly<Record<string, readonly string[]>> = {
  map: ["in.csv", "--mock"],
  run: ["@last", "@last"],
  estimate: ["@last", "@last"],
  runs: [],
  watch: [],
  pause: [],
  resume: [],
  cancel: [],
  failures: [],
  retry: [],
  results: [],
  export: ["-o", "out.csv"],
  upload: ["in.csv"],
  datasets: [],
  specs: [],
  usage: [],
  keys: [],
  webhooks: [],
  alerts: [],
  apply: ["rowmill.yaml"],
  connect: ["ollama"],
  open: ["@last"],
  api: ["GET", "/v1/me"],
  trigger: ["run.finished", "--endpoint", "none"],
  whoami: [],
  listen: ["--forward-to", SILENT_URL],
};
/** Where no service is named they make that of this machine. */
const makingTheirOwn = ["map", "connect"];
/** They take the last run, dataset or job spec. */
const ofLast = ["run", "estimate", "watch", "pause", "resume", "cancel", "failures", "retry", "results", "export"];

const WHAT_AND_WHAT_TO_DO = /^rowmill: .+\n {2}.+\n$/;
const folder = mkdtempSync(join(tmpdir(), "rowmill-exit-codes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "in.csv"), "id\n1\n");
writeFileSync(join(folder, "rowmill.yaml"), "alertRules: []\n");

let service: TestService;
let apiKey: string;
beforeAll(async () => {
  service = await startTestService();
  ({ apiKey } = await service.newOrganization());
});

/** Paths of files are those of the process. */
const typed = (args: readonly string[]): string[] =>
  args.map((each) => (/\.(csv|yaml)$/.test(each) ? join(folder, each) : each));

async function expectEnd(args: readonly string[], settings: Record<string, string>, code: number): Promise<string> {
  const environment = { XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config"), ...settings };
  const said = await typeCommand({ environment, directory: folder }, ...typed(args));
  expect({ args, settings, ...said }).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringMatching(WHAT_AND_WHAT_TO_DO) as string,
  });
  return said.stderr;
}

test.each(commands.map(({ name }) => name))("%s with an option that does not exist ends with 2", async (name) => {
  await expectEnd([name, "--no-such-option"], {}, 2);
});

test.each(Object.entries(withService))("%s without a key, or with a wrong one, ends with 4", async (name, args) => {
  await expectEnd([name, ...args], { ROWMILL_URL: service.url }, 4);
  await expectEnd([name, ...args], { ROWMILL_URL: service.url, ROWMILL_API_KEY: "rmk_0123456789" }, 4);
});

test.each(Object.entries(withService).filter(([name]) => !makingTheirOwn.includes(name)))(
  "%s where no service is named ends with 2",
  async (name, args) => {
    await expectEnd([name, ...args], {}, 2);
  },
);

test.each(ofLast)("%s where there is nothing yet ends with 2, and says what makes it", async (name) => {
  const stderr = await expectEnd(
    [name, ...(withService[name] ?? [])],
    { ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey },
    2,
  );
  expect(stderr).toMatch(/There is no (run|dataset) yet\.\n {2}.*`rowmill (map|upload) FILE/);
});

test("a service that does not respond ends a command with 1", async () => {
  const stderr = await expectEnd(["runs"], { ROWMILL_URL: SILENT_URL, ROWMILL_API_KEY: apiKey }, 1);
  expect(stderr).toContain("Check that the service runs and that ROWMILL_URL names it.");
  const byOption = await expectEnd(["runs", "--url", SILENT_URL], { ROWMILL_API_KEY: apiKey }, 1);
  expect(byOption).toContain("Check that the service runs and that --url names it.");
});

test("where a profile names a service that does not respond, the profile is named, and what works without it", async () => {
  mkdirSync(join(folder, "profiles", "rowmill"), { recursive: true });
  const config = `profile = "dev"\n[profiles.dev]\nurl = "${SILENT_URL}"\napiKey = "${apiKey}"\n`;
  writeFileSync(join(folder, "profiles", "rowmill", "config.toml"), config);
  const stderr = await expectEnd(["runs"], { XDG_CONFIG_HOME: join(folder, "profiles") }, 1);
  expect(stderr).toContain('The profile "dev" names this address: start the service there, or add --local');
});
