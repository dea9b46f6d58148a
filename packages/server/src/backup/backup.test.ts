/** Backups of a service with its own PostgreSQL, in this process. The command is tried in `packages/cli/src/commands/backup.test.ts`. */
import { execFileSync, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { readConfig } from "../config.ts";
import { noteUnfinishedRestore } from "../platform/database/unfinished-restore.ts";
import { createLog } from "../platform/log.ts";
import { openFileStore } from "../platform/storage/file-store.ts";
import { cleanUpLater, undo } from "../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { waitFor } from "../testing/wait.ts";
import { backUp } from "./backup.ts";
import { FORMAT, MANIFEST, parseManifest } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { restore } from "./restore.ts";

const PROGRAM = fileURLToPath(new URL("program.ts", import.meta.url));
const ROWS = 20;
const log = createLog("silent");

let service: TestService;
let tenant: TestOrganization;
let run: Run;
let exported: Export;
/** A whole backup in a folder, and as a tar file. */
let folder: string;
let tar: string;

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(ROWS));
  const spec = await newJobSpec(tenant.api, { type: "mock", failEvery: 5 });
  const created = await newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id });
  run = await finishedRun(tenant.api, created.id);
  const body = { type: "outputs", format: "jsonl" };
  const { id } = (await tenant.api<Export>("POST", `/v1/runs/${run.id}/exports`, { body })).body;
  exported = await waitFor(async () => {
    const response = await tenant.api<Export>("GET", `/v1/exports/${id}`);
    return response.body.status === "ready" && response.body;
  });
  folder = join(await newFolder(), "backup");
  tar = `${folder}.tar`;
  await backUpTo(folder);
  await backUpTo(tar);
});

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "rowmill-backup-"));
  cleanUpLater(() => rm(path, { recursive: true, force: true }));
  return path;
}

const backUpTo = (target: string, includesEncryptionKey = true) =>
  backUp(readConfig(service.settings), log, "0.0.0-test", { target, includesEncryptionKey });

/** Settings of an empty place. */
async function emptyPlace(): Promise<Record<string, string>> {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  return { ROWMILL_DATABASE_URL: database.url, ROWMILL_DATA_DIR: join(await newFolder(), "data") };
}

async function restoreFrom(source: string, settings?: Record<string, string>) {
  const place = settings ?? (await emptyPlace());
  return restore(readConfig(place), log, source);
}

/** The backup with a manifest that `change` has changed. */
async function withManifest(change: (manifest: Manifest) => Record<string, unknown>): Promise<string> {
  const copy = join(await newFolder(), "backup");
  await cp(folder, copy, { recursive: true });
  const manifest = parseManifest(await readFile(join(copy, MANIFEST), "utf8"));
  await writeFile(join(copy, MANIFEST), JSON.stringify({ ...manifest, ...change(manifest) }));
  return copy;
}

test.each(["folder", "tar"])("a %s becomes a service with the same rows, results, files and keys", async (kind) => {
  const place = await emptyPlace();
  const report = await restoreFrom(kind === "tar" ? tar : folder, place);
  expect(report).toMatchObject({ objects: 1, missingObjects: [], version: "0.0.0-test" });
  // Secrets open with the key of the backup, which is in the data directory now.
  const restored = await startTestService({ ...service.settings, ROWMILL_ENCRYPTION_KEY: "", ...place });
  const ask = (method: string, path: string) => restored.api(method, path, { key: tenant.apiKey });
  for (const path of [`/v1/runs/${run.id}`, `/v1/runs/${run.id}/outputs`, `/v1/runs/${run.id}/failures`])
    expect((await ask("GET", path)).body).toEqual((await tenant.api("GET", path)).body);
  const path = `/v1/exports/${exported.id}/download`;
  expect((await ask("GET", path)).bytes).toEqual((await tenant.api("GET", path)).bytes);
  const retried = await restored.api<Run>("POST", `/v1/runs/${run.id}/retry`, { key: tenant.apiKey, body: {} });
  const api: typeof restored.api = (method, url, request) =>
    restored.api(method, url, { key: tenant.apiKey, ...request });
  expect(await finishedRun(api, retried.body.id)).toMatchObject({ rows: { total: ROWS / 5 } });
});

describe("a restore that is killed", () => {
  /** Kills the restore as soon as `isReached` returns true, and resolves when it is gone. */
  async function killedRestore(place: Record<string, string>, isReached: () => Promise<boolean>): Promise<void> {
    const child = fork(PROGRAM, ["restore", tar], {
      execArgv: ["--conditions=@rowmill/source"],
      env: { PATH: process.env["PATH"], ...place },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const exited = once(child, "exit");
    await waitFor(isReached, { what: "the restore has come so far" });
    child.kill("SIGKILL");
    expect(await exited).toEqual([null, "SIGKILL"]);
  }

  test("starts no service, refuses another backup, and is repeated by the same command", async () => {
    const place = await emptyPlace();
    const url = place["ROWMILL_DATABASE_URL"] ?? "";
    const client = new Client({ connectionString: url });
    await client.connect();
    undo.push(() => client.end());
    // Nobody gets past this lock before the tables are there: the restore has put the files, and waits.
    await client.query("begin; create table schema_migrations (x int)");
    await killedRestore(place, async () => {
      const { rowCount } = await client.query(
        "select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))",
      );
      return rowCount !== 0;
    });
    await client.query("rollback");
    const data = place["ROWMILL_DATA_DIR"] ?? "";
    expect(await readdir(join(data, "files", "exports"))).toHaveLength(1);
    await expect(startTestService({ ...service.settings, ROWMILL_ENCRYPTION_KEY: "", ...place })).rejects.toThrow(
      `a restore of ${tar} did not end here: repeat \`rowmill restore ${tar}\``,
    );
    const other = await withManifest(() => ({ version: "0.0.0-other" }));
    await expect(restoreFrom(other, place)).rejects.toThrow(`A restore of ${tar} into `);
    expect(await restoreFrom(tar, place)).toMatchObject({ objects: 1 });
    const restored = await startTestService({ ...service.settings, ROWMILL_ENCRYPTION_KEY: "", ...place });
    const path = `/v1/runs/${run.id}/outputs`;
    expect((await restored.api("GET", path, { key: tenant.apiKey })).body).toEqual(
      (await tenant.api("GET", path)).body,
    );
  });

  test("just before its end is repeated over the complete database", async () => {
    const place = await emptyPlace();
    await restoreFrom(tar, place);
    const digest = createHash("sha256")
      .update(await readFile(join(folder, MANIFEST)))
      .digest("hex");
    const database = (place["ROWMILL_DATABASE_URL"] ?? "").replace(/^.*@/, "");
    await noteUnfinishedRestore(place["ROWMILL_DATA_DIR"] ?? "", { backup: digest, source: folder, database });
    const report = await restoreFrom(folder, place);
    expect(report).toMatchObject({ objects: 1 });
    await expect(restoreFrom(folder, place)).rejects.toThrow(/is not empty/);
  });
});

test("a tar file of a backup is one that other programs read", () => {
  const names = execFileSync("tar", ["-tf", tar], { encoding: "utf8" }).trim().split("\n");
  expect(names.at(-1)).toBe(MANIFEST);
  expect(names).toContain(`files/exports/${tenant.organizationId}/${exported.id}/1`);
});

describe("a backup is refused", () => {
  test("whose content was changed", async () => {
    const source = await withManifest(() => ({}));
    const [name = ""] = (await readdir(join(source, "database"))).filter((each) => each.endsWith(".runs"));
    const path = join(source, "database", name, "000001.copy.zst");
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await writeFile(path, bytes);
    await expect(restoreFrom(source)).rejects.toThrow(/service\.runs\/000001\.copy\.zst of the backup is damaged/);
  });

  test("that ends too early", async () => {
    const source = join(await newFolder(), "cut.tar");
    const bytes = await readFile(tar);
    await writeFile(source, bytes.subarray(0, bytes.length - 4096));
    await expect(restoreFrom(source)).rejects.toThrow("The file ends too early: the backup is incomplete.");
  });

  test("that lacks an entry, or has one too many", async () => {
    const [source, other] = [await withManifest(() => ({})), await withManifest(() => ({}))];
    await rm(join(source, "files"), { recursive: true });
    await expect(restoreFrom(source)).rejects.toThrow(/^The backup lacks files\/exports\//);
    await writeFile(join(other, "more"), "x");
    await expect(restoreFrom(other)).rejects.toThrow("The backup has more, which its manifest does not name.");
  });

  test("without a manifest", async () => {
    const source = await withManifest(() => ({}));
    await rm(join(source, MANIFEST));
    await expect(restoreFrom(source)).rejects.toThrow("it is not a backup, or an incomplete one");
  });

  test("that a newer version has made", async () => {
    const format = await withManifest(() => ({ format: FORMAT + 1 }));
    await expect(restoreFrom(format)).rejects.toThrow("it was made by a newer one");
    const migrated = await withManifest(({ migrations }) => ({
      migrations: [...migrations, { version: migrations.length + 1, name: "9999-later.sql", sha256: "0" }],
    }));
    await expect(restoreFrom(migrated)).rejects.toThrow(
      "The backup is at migration 9999-later.sql, which this Rowmill does not have: it was written by a newer one. Restore it with that version.",
    );
  });

  test("whose secrets are sealed with another key than the one that is set", async () => {
    const place = { ...(await emptyPlace()), ROWMILL_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") };
    await expect(restoreFrom(folder, place)).rejects.toThrow("and another key is set here");
  });

  test("where something is already: a database, or files", async () => {
    const { ROWMILL_DATABASE_URL: own = "" } = service.settings;
    const used = { ...(await emptyPlace()), ROWMILL_DATABASE_URL: own };
    await expect(restoreFrom(folder, used)).rejects.toThrow(/The database of ROWMILL_DATABASE_URL is not empty/);
    const place = await emptyPlace();
    const store = await openFileStore(join(place["ROWMILL_DATA_DIR"] ?? "", "files"));
    await store.put("exports/x", (await import("node:stream")).Readable.from(["x"]));
    await expect(restoreFrom(folder, place)).rejects.toThrow(/The store is not empty \(exports\/x\)/);
  });
});

test("a file that the store has lost is named, and the backup is made all the same", async () => {
  const store = await openFileStore(join(service.settings["ROWMILL_DATA_DIR"] ?? "", "files"));
  const [key = ""] = await Array.fromAsync(store.list("exports/"), (object) => object.key);
  await store.delete(key);
  const target = join(await newFolder(), "without");
  expect(await backUpTo(target)).toMatchObject({ objects: 0, missingObjects: [key] });
  expect(await restoreFrom(target)).toMatchObject({ missingObjects: [key] });
});

test("a backup that is ended by a signal leaves nothing at its place", async () => {
  const client = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await client.connect();
  undo.push(() => client.end());
  // The backup waits for this table.
  await client.query("begin; lock table exports in access exclusive mode");
  const parent = await newFolder();
  const child = fork(PROGRAM, ["backup", join(parent, "ended.tar")], {
    execArgv: ["--conditions=@rowmill/source"],
    env: { PATH: process.env["PATH"], ...service.settings },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const begun = join(parent, "ended.tar.unfinished");
  await waitFor(() => existsSync(begun), { what: "the backup has begun" });
  child.kill("SIGINT");
  expect(await exited).toEqual([1, null]);
  expect(await readdir(parent)).toEqual([]);
  await client.query("rollback");
});

test("two backups at once, and one whose place is taken, are refused", async () => {
  const parent = await newFolder();
  const outcomes = await Promise.allSettled([backUpTo(join(parent, "a")), backUpTo(join(parent, "b"))]);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused.map(({ reason }) => String(reason))).toEqual(
    refused.map(() => "BackupError: Another backup of this installation is running."),
  );
  expect(refused.length).toBeLessThan(2);
  await expect(backUpTo(folder)).rejects.toThrow("exists.");
  expect((await readdir(parent)).filter((name) => name.includes("unfinished"))).toEqual([]);
});
