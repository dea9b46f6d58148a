import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rowmill } from "@rowmill/client";
import { startModelServer } from "@rowmill/server/testing/model-server";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";
import type { Said } from "../testing/in-process.ts";

/** One sentence what is wrong, one what to do, and no stack. */
const WHAT_AND_WHAT_TO_DO = /^rowmill: .+\n {2}.+\n$/;

let service: TestService;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_MODE: "development" });
});

beforeEach(async () => {
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  ({ environment, folder } = place);
  writeFileSync(at("in.csv"), "id,company\n1,Ann\n2,Bob\n3,Cy\n");
  const code =
    'export default (row) => { if (row.id === 2) throw new Error("no two"); return { upper: row.company.toUpperCase() }; };';
  writeFileSync(at("spec.json"), JSON.stringify({ name: "Upper", processor: { type: "transform", code } }));
});

const at = (name: string): string => join(folder, name);
const type = (...args: string[]): Promise<Said> => typeCommand({ environment, directory: folder }, ...args);
async function json<T extends object = Record<string, unknown>>(...args: string[]): Promise<T> {
  const said = await type(...args, "--json");
  return JSON.parse(said.stdout) as T; // what the command prints
}
const lines = (text: string): object[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);

async function makeThings(): Promise<{ datasetId: string; specId: string }> {
  const { id: datasetId } = await json<{ id: string }>("upload", at("in.csv"));
  const { id: specId } = await json<{ id: string }>("specs", "new", at("spec.json"));
  return { datasetId, specId };
}

test("a file, a job spec and a run by their names, and what came of each row", async () => {
  const uploaded = await type("upload", at("in.csv"));
  expect(uploaded).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/in\.csv: 3 rows.*company {2}string/s) as string,
  });
  // The same content under another name is the same dataset.
  expect((await type("upload", at("in.csv"), "--name", "people")).stdout).toContain(" people: 3 rows");
  expect((await type("upload", at("in.csv"), "--name", "in.csv")).stdout).toContain(" in.csv: 3 rows");
  expect((await type("specs", "new", at("spec.json"))).stdout).toContain("Upper is made");
  const run = await type("run", "in.csv", "Upper", "-o", at("out.csv"));
  expect(run).toMatchObject({ code: 3, stdout: expect.stringMatching(/2 of 3 rows succeeded, 1 failed/) as string });
  expect(readFileSync(at("out.csv"), "utf8")).toContain('2,"Bob",,"failed","transform_error"');
  expect(JSON.parse((await type("--json", "runs", "-n", "1")).stdout)).toMatchObject({
    data: [{ rows: { failed: 1 } }],
  });
  expect(await type("--json", "rnus")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("`rowmill runs`") as string,
  });
  expect((await type("runs")).stdout).toMatch(/run_[0-9a-z]{26} {2}partially_succeeded {2}3 +1 +just now/);
  expect((await type("runs", "show")).stdout).toMatch(/rows +3: 2 succeeded, 1 failed.*next +rowmill failures run_/s);
  const failures = await type("failures");
  expect(failures.stdout).toMatch(/1 failure of run_.*1 +transform_error +no +2 +Error: no two/s);
  expect(lines((await type("failures", "@last", "--code", "transform_error")).stdout)).toMatchObject([{ index: 1 }]);
  expect(await type("failures", "@last", "--code", "network_error")).toMatchObject({ code: 0, stdout: "" });
  for (const command of ["failures", "retry"])
    expect(await type(command, "@last", "--code", "transform_eror")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /--code does not take "transform_eror"\. The nearest of its \d+ values: transform_error, .*\n {2}`rowmill failures`/,
      ) as string,
    });
  const rows = lines((await type("results", "-n", "2")).stdout);
  expect(rows).toEqual([
    { id: 1, company: "Ann", upper: "ANN", row_state: "succeeded", failure_code: null },
    { id: 2, company: "Bob", row_state: "failed", failure_code: "transform_error" },
  ]);
  expect(lines((await type("results", "--state", "failed")).stdout)).toHaveLength(1);
  expect(await type("watch")).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(
      /Correct the code\.\nNext, with the change: rowmill specs new FILE --to spec_/,
    ) as string,
  });
});

test("a retry of one cause, exports, and a file that exists is replaced only by --force", async () => {
  const { datasetId, specId } = await makeThings();
  expect((await type("run", datasetId.slice(0, 24), specId.slice(0, 26))).code).toBe(3);
  expect(await type("retry", "--code", "network_error")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("rowmill failures") as string,
  });
  const retried = await json<{ run: { rows: object } }>("retry", "--code", "transform_error");
  expect(retried.run.rows).toMatchObject({ total: 1, failed: 1 });
  const exported = await json<{ path: string; rowCount: number; sha256: string }>("export", "-o", at("all.csv"));
  expect(exported).toMatchObject({
    path: at("all.csv"),
    rowCount: expect.any(Number) as number,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(await type("export", "-o", at("all.csv"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--force") as string,
  });
  expect((await type("export", "-o", at("all.csv"), "--force")).code).toBe(0);
  expect((await type("export", "-o", at("f.jsonl"), "--type", "failures")).code).toBe(0);
  expect(lines(readFileSync(at("f.jsonl"), "utf8"))).toMatchObject([{ code: "transform_error" }]);
});

test("a retry by another version of the job spec, which corrects the first", async () => {
  const { datasetId, specId } = await makeThings();
  expect((await type("run", datasetId, specId)).code).toBe(3);
  const code = "export default (row) => ({ upper: row.company.toUpperCase() });";
  writeFileSync(at("corrected.json"), JSON.stringify({ processor: { type: "transform", code } }));
  expect((await type("specs", "new", at("corrected.json"), "--to", specId)).code).toBe(0);
  expect(await type("retry", "--version", "3")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^rowmill: The job spec has no version 3\..*\n {2}`rowmill specs` shows .+\n$/,
    ) as string,
  });
  const retried = await json<{ run: { id: string; rows: object } }>("retry", "--version", "2");
  expect(retried.run.rows).toMatchObject({ total: 1, succeeded: 1 });
  expect(await json("api", "GET", `/v1/runs/${retried.run.id}`)).toMatchObject({ jobSpecVersion: 2 });
});

test("a run that was started and left is watched, paused, resumed and canceled", async () => {
  await makeThings();
  const { id } = await json<{ id: string }>("run", "@last", "@last", "--detach", "--limit", "2", "--name", "May");
  expect((await type("watch", "May", "--stream-json")).stdout.trim().split("\n").at(-1)).toMatch(
    /^{"type":"result".*partially_succeeded/,
  );
  for (const action of ["pause", "resume", "cancel"]) {
    const refused = await type(action, id);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/partially_succeeded|ended/) as string });
  }
  expect(await json<{ data: object[] }>("runs", "--state", "running,paused")).toEqual({ data: [], hasMore: false });
  expect((await type("runs", "delete", id)).stdout).toContain("is deleted");
});

test("a run is paused, resumed and canceled while it goes on", async () => {
  await makeThings();
  writeFileSync(at("slow.json"), JSON.stringify({ name: "Slow", processor: { type: "mock", delayMs: 60_000 } }));
  await type("specs", "new", at("slow.json"));
  const { id } = await json<{ id: string }>("run", "in.csv", "Slow", "--detach");
  const other = await json<{ id: string }>("run", "in.csv", "Slow", "--detach");
  expect(await type("pause")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      `${other.id} is paused: 0 rows succeeded, 0 failed, 3 left.\nNext: rowmill resume ${other.id}\n$`,
    ) as string,
  });
  // One that goes on already is not an error.
  const resumed = await type("resume", other.id, id.slice(0, 24));
  expect(resumed).toMatchObject({ code: 0, stderr: "" });
  expect(resumed.stdout).toMatch(new RegExp(`\nNext: rowmill watch ${other.id}\n$`));
  for (const each of [id, other.id]) expect(resumed.stdout).toMatch(new RegExp(`${each} is (queued|running): 0 rows`));
  const canceled = await json<{ data: { id: string; state: string }[] }>("cancel", id, other.id);
  expect(canceled.data.map((run) => run.id)).toEqual([id, other.id]);
  expect(canceled.data.every(({ state }) => state === "canceling" || state === "canceled")).toBe(true);
  expect(await type("watch", other.id)).toMatchObject({
    code: 5,
    stdout: expect.stringContaining("3 canceled") as string,
  });
  expect(await type("pause", "nothing")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(WHAT_AND_WHAT_TO_DO) as string,
  });
});

test("a job spec is tried, gets a version, and the versions are compared", async () => {
  await makeThings();
  const tried = await type("specs", "test", "Upper", "--dataset", "in.csv");
  expect(tried).toMatchObject({ code: 3, stdout: expect.stringMatching(/1 +ANN.*2 succeeded, 1 failed/s) as string });
  writeFileSync(at("rows.jsonl"), '{"id":5,"company":"Dee"}\n');
  expect((await type("specs", "test", "Upper", "--rows", at("rows.jsonl"))).stdout).toContain("DEE");
  expect((await type("specs", "diff", "Upper")).stderr).toContain("one version only");
  const changed = { ...(JSON.parse(readFileSync(at("spec.json"), "utf8")) as object), timeoutSeconds: 7 };
  writeFileSync(at("spec2.json"), JSON.stringify(changed));
  expect((await type("specs", "new", at("spec2.json"), "--to", "Upper")).stdout).toContain("has version 2");
  expect((await type("specs", "diff", "Upper")).stdout).toMatch(/-.*"timeoutSeconds": null.*\n\+.*"timeoutSeconds": 7/);
  expect((await type("specs", "show", "Upper", "--version", "1")).stdout).toContain('"type": "transform"');
  expect((await type("specs")).stdout).toMatch(/spec_\w+ {2}2 +transform/);
  expect((await type("estimate", "@last", "Upper")).stdout).toMatch(/rows +3\n.*nothing is called/s);
  expect((await type("specs", "archive", "Upper")).stdout).toContain("archived");
});

test("a dataset and a job spec in each other's place are named as what they are", async () => {
  const { datasetId, specId } = await makeThings();
  expect(await type("run", "Upper", "in.csv")).toMatchObject({
    code: 2,
    stderr: 'rowmill: "Upper" is a job spec, not a dataset.\n  The dataset comes first, and then the job spec.\n',
  });
  expect((await type("estimate", specId, datasetId)).stderr).toContain(`"${specId}" is a job spec, not a dataset.`);
  expect((await type("run", "in.csv", datasetId.slice(0, 24))).stderr).toContain("is a dataset, not a job spec.");
  expect((await type("watch", datasetId)).stderr).toContain(`"${datasetId}" is a dataset, not a run.`);
  // What may be anything is not found, and neither is what the key may not look for.
  expect((await type("run", "spec_", "Upper")).stderr).toContain('There is no dataset "spec_".');
  const { key } = await json<{ key: string }>("keys", "new", "narrow", "--scopes", "datasets:read");
  const narrow = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: key });
  const said = await typeCommand(
    { environment: narrow.environment, directory: narrow.folder },
    "run",
    "Upper",
    "in.csv",
  );
  expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no dataset "Upper".') as string });
});

test("keys and endpoints: their secrets go to a file that only its owner reads, or are shown once", async () => {
  const made = await type("keys", "new", "ci", "--scopes", "runs:read", "--days", "3", "--save", at("key.txt"));
  expect(made.code).toBe(0);
  const key = readFileSync(at("key.txt"), "utf8").trim();
  expect(key).toMatch(/^rmk_/);
  expect(made.stdout + made.stderr).not.toContain(key);
  expect(made.stdout).toContain("It may do 1 thing: runs:read.");
  expect(statSync(at("key.txt")).mode & 0o077).toBe(0);
  expect(await type("keys", "new", "ci2", "--save", at("key.txt"))).toMatchObject({ code: 2 });
  const listed = (await type("keys")).stdout;
  expect(listed).not.toContain("ci2");
  expect(listed).toMatch(/until \d{4}-.*runs:read +ci/);
  const { stdout } = await type("keys", "revoke", "ci");
  expect(stdout).toContain("is revoked. Runs that it has started go on");
  // What it advises is a command that there is.
  const command = /^ {2}rowmill (runs --key key_\w+)$/m.exec(stdout)?.[1] ?? "";
  expect(await type(...command.split(" "), "--json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"data"') as string,
  });
  expect(
    (await type("webhooks", "new", "https://example.com/hooks", "--events", "run.finished,row.failed")).stdout,
  ).toMatch(/whe_.* gets run\.finished, row\.failed/);
  expect((await type("webhooks")).stdout).toMatch(/enabled +never +run\.finished/);
  expect((await type("webhooks", "rotate", "@last", "--json")).stdout).toContain("signingSecret");
  expect(await json("webhooks", "deliveries")).toEqual({ data: [], hasMore: false });
  expect((await type("webhooks", "delete", "@last")).code).toBe(0);
  const wrong = await type("webhooks", "new", "http://hooks.example.com", "--events", "run.finished");
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/rowmill: .+\n/) as string });
});

test("alert rules are made of a file, listed and deleted", async () => {
  const rule = {
    name: "Failed",
    eventType: "run.failed",
    destination: { type: "webhook", url: "https://example.com/alerts" },
  };
  writeFileSync(at("rule.json"), JSON.stringify(rule));
  expect((await type("alerts", "new", at("rule.json"))).stdout).toContain("Failed is made");
  expect((await type("alerts")).stdout).toMatch(/alr_\w+ {2}enabled {2}run\.failed {2}webhook https:/);
  expect(await json("alerts", "deliveries", "Failed")).toEqual({ data: [], hasMore: false });
  expect((await type("alerts", "delete", "Failed")).code).toBe(0);
});

describe("api", () => {
  test("sends any request, follows pages, and ends with the code of an error", async () => {
    expect(JSON.parse((await type("api", "GET", "/v1/me")).stdout)).toMatchObject({ kind: "organization" });
    await makeThings();
    await type("upload", at("spec.json"), "--name", "other", "--format", "json");
    expect(lines((await type("api", "get", "/v1/datasets", "--query", "limit=1", "--paginate")).stdout)).toHaveLength(
      2,
    );
    const body = JSON.stringify({ name: "of a request", processor: { type: "mock" } });
    expect(JSON.parse((await type("api", "POST", "/v1/job-specs", "--data", body)).stdout)).toMatchObject({
      name: "of a request",
    });
    expect(await type("api", "GET", "/v1/nothing")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("rowmill:") as string,
    });
    expect(await type("api", "GET", "v1/me")).toMatchObject({ code: 2 });
    expect(await type("api", "GET", "/v1/me", "--header", "Authorization: Bearer x")).toMatchObject({ code: 2 });
  });
});

test("doctor finds the service, the key and the clock, and ends with 1 where something is wrong", async () => {
  const well = await type("doctor");
  expect(well).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /✓ service: .*✓ database: .*✓ encryption key: .* egress: .*✓ key: of org_.*Nothing is wrong/s,
    ) as string,
  });
  environment["ROWMILL_API_KEY"] = "rmk_wrong";
  const ill = await type("doctor", "--json");
  expect(ill.code).toBe(1);
  expect(JSON.parse(ill.stdout)).toMatchObject({ problems: 1 });
  environment["ROWMILL_URL"] = "http://127.0.0.1:1";
  expect(await type("doctor")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("does not respond") as string,
  });
});

test("doctor --connections asks each model, and names the one that does not respond", async () => {
  const model = await startModelServer(() => ({ body: { object: "list", data: [{ id: "small" }] } }));
  const rowmill = new Rowmill({ apiKey: environment["ROWMILL_API_KEY"] ?? "", baseUrl: service.url });
  await rowmill.connections.create({ type: "openai_compatible", name: "good", baseUrl: model.baseUrl });
  expect(await type("doctor", "--connections")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ connection good: responds") as string,
  });
  await rowmill.connections.create({ type: "openai_compatible", name: "away", baseUrl: "http://127.0.0.1:1/v1" });
  expect(await type("doctor", "--connections")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ connection away: .+\n(.*\n)*1 problem\./) as string,
  });
});

test("usage, docs, open and whoami print what they are for", async () => {
  expect((await type("usage")).stdout).toContain("Nothing has been used");
  expect((await type("docs", "idempotency", "key")).stdout).toMatch(/\.md/);
  expect(await type("docs", "xylophone")).toMatchObject({ code: 2 });
  expect((await type("open", "docs")).stdout).toBe(`${service.url}/docs\n`);
  expect((await type("whoami")).stdout).toContain(service.url);
});

test("a mistake is one sentence what and one what to do, as JSON too", async () => {
  for (const args of [
    ["runs", "--state", "runing"],
    ["watch", "nothing"],
    ["usage", "--from", "May"],
    ["specs", "tset"],
    ["trigger", "run.finsihed", "--forward-to", "9/hooks"],
    ["webhooks", "new", "http://hooks.example.com/a"],
    ["webhooks", "new", "https://hooks.example.com/a", "--events", "run.finsihed"],
    ["keys", "new", "x", "--scopes", "runs:raed"],
  ]) {
    const said = await type(...args);
    expect(said).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(WHAT_AND_WHAT_TO_DO) as string,
    });
  }
  expect(JSON.parse((await type("watch", "nothing", "--json")).stdout)).toMatchObject({ error: { exitCode: 2 } });
});
