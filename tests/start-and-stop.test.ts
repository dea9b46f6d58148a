/** Processes of the service: how they start, why they refuse to, and how they end. */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { newDataDirectory, runMain, startServiceProcess } from "@rowmill/server/testing/service-process";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { startRefusingPostgresql } from "./support/refusing-postgresql.ts";

/** Logged where a stop has waited for requests until their time was over. */
const CUT_OFF = "connections did not end within";
/** The lines that the first start prints wait for an intake, a run and an export; a broken one of them would wait for ever. */
const SHELL_TIMEOUT_MS = 240_000;

const MAIN = fileURLToPath(import.meta.resolve("@rowmill/server/main"));

let databaseUrl: string;
const encryptionKey = randomBytes(32).toString("base64");
beforeAll(async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  databaseUrl = database.url;
});

/** Settings of a process on a database of the tests' server, which starts faster than one of its own. */
async function quickSettings(): Promise<Record<string, string>> {
  return {
    ROWMILL_DATABASE_URL: databaseUrl,
    ROWMILL_ENCRYPTION_KEY: encryptionKey,
    ROWMILL_DATA_DIR: await newDataDirectory(),
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
  };
}

async function emptyDatabase(): Promise<Record<string, string>> {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  return { ROWMILL_DATABASE_URL: database.url };
}

describe("a start is refused with a sentence", () => {
  test.each<[string, Record<string, string>, RegExp]>([
    [
      "an unknown variable",
      { ROWMILL_PROT: "80" },
      /^ROWMILL_PROT is not a setting of Rowmill\. Did you mean ROWMILL_PORT\?$/,
    ],
    [
      "a data directory that cannot be made",
      { ROWMILL_DATA_DIR: "/proc/rowmill" },
      /Rowmill could not start: .*\/proc.* Check ROWMILL_DATA_DIR: it must be a directory in which the service may write\.$/,
    ],
    [
      "a database that is not there",
      { ROWMILL_DATABASE_URL: "postgres://x:y@127.0.0.1:1/x", ROWMILL_DATABASE_WAIT_SECONDS: "0" },
      /Rowmill could not start: .*127\.0\.0\.1:1/,
    ],
  ])("for %s, and the process ends with 1", async (_what, settings, sentence) => {
    const { code, output } = await runMain({ ...(await quickSettings()), ...settings });
    expect(output).toMatch(new RegExp(sentence.source, "m"));
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ["a bad value", { ROWMILL_PORT: "http" }, /^ROWMILL_PORT must be an integer from 0 to 65535, not "http"$/],
    [
      "a store that it does not know",
      { ROWMILL_STORAGE_URL: "ftp://x" },
      /^ROWMILL_STORAGE_URL must be file:\/\/\/path\/to\/folder or s3:\/\/bucket\/prefix$/,
    ],
    [
      "a bad encryption key",
      { ROWMILL_ENCRYPTION_KEY: "short" },
      /ROWMILL_ENCRYPTION_KEY must be the base64 of 32 bytes/,
    ],
    [
      "an address of another machine",
      { ROWMILL_HOST: "192.0.2.1" },
      /192\.0\.2\.1:0 is not an address .* ROWMILL_HOST/,
    ],
    [
      "a bad override",
      { ROWMILL_EGRESS_CONNECT_OVERRIDES: "x" },
      /^ROWMILL_EGRESS_CONNECT_OVERRIDES: The connect override "x" must look like/,
    ],
    [
      "a bad schedule",
      { ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,soon" },
      /^ROWMILL_WEBHOOK_RETRY_SCHEDULE must be whole seconds from 0 to 604800, such as 0,5,300, not "soon"$/,
    ],
    [
      "a name server without an address",
      { ROWMILL_EGRESS_NAME_SERVERS: "dns" },
      /^ROWMILL_EGRESS_NAME_SERVERS: .*"dns"/,
    ],
    [
      "an origin with a path",
      { ROWMILL_CONNECTION_ALLOWED_ORIGINS: "http://gpu/v1" },
      /^ROWMILL_CONNECTION_ALLOWED_ORIGINS: .*"http:\/\/gpu\/v1"/,
    ],
    [
      "an authority that is not there",
      { ROWMILL_EGRESS_EXTRA_CA: "/nowhere.pem" },
      /^ROWMILL_EGRESS_EXTRA_CA: .*\/nowhere\.pem/,
    ],
    ["an authority without a certificate", { ROWMILL_EGRESS_EXTRA_CA: "/dev/null" }, /ROWMILL_EGRESS_EXTRA_CA/],
    [
      "a folder for files that cannot be made",
      { ROWMILL_STORAGE_URL: "file:///proc/rowmill" },
      /no directory can be made in \/proc\. Check ROWMILL_STORAGE_URL: it must name a folder/,
    ],
  ])("for %s", async (_what, settings, sentence) => {
    await expect(startTestService({ ...(await quickSettings()), ...settings })).rejects.toThrow(
      new RegExp(sentence.source, "m"),
    );
  });

  test("for a port that is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const { code, output } = await runMain({ ...(await quickSettings()), ROWMILL_PORT: String(port) });
    server.close();
    expect(code).toBe(1);
    expect(output).toContain(
      `could not start: 127.0.0.1:${port} is in use by another program: choose another port with ROWMILL_PORT`,
    );
  });

  test("for another encryption key than the database was written with, and the first goes on", async () => {
    const first = await startTestService();
    const other = { ...first.settings, ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
    await expect(startTestService(other)).rejects.toThrow(
      "this database was written with another encryption key: set ROWMILL_ENCRYPTION_KEY",
    );
    expect((await first.api("GET", "/v1/me")).status).toBe(200);
  });
});

test("a first start that fails keeps no admin key: the next one makes the key and prints it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const settings = { ...(await quickSettings()), ...(await emptyDatabase()), ROWMILL_ADMIN_KEY: "" };
  const refused = await runMain({ ...settings, ROWMILL_PORT: String(port) });
  server.close();
  expect([refused.code, refused.output]).toEqual([1, expect.not.stringContaining("rma_")]);

  const second = await startServiceProcess(settings);
  const output = await waitFor(() => {
    const text = second.logs().join("\n");
    return text.includes("is described at") ? text : undefined;
  });
  const [, adminKey = "none"] = /ADMIN_KEY=(rma_[0-9A-Za-z]{38})$/m.exec(output) ?? [];
  expect((await second.api("GET", "/v1/organizations", { key: adminKey })).status).toBe(200);
});

test("a database that does not respond is waited for, which one line says", async () => {
  const port = await startRefusingPostgresql("there is no such user");
  const settings = {
    ROWMILL_DATABASE_URL: `postgres://x:y@127.0.0.1:${port}/x`,
    ROWMILL_DATABASE_WAIT_SECONDS: "3600",
  };
  const { code, output } = await runMain({ ...(await quickSettings()), ...settings });
  expect(output.match(/waits for PostgreSQL \(.+\), for up to \d+ seconds: ROWMILL_DATABASE_WAIT/g)).toHaveLength(1);
  expect(output).toMatch(/Rowmill could not start: .*there is no such user/);
  expect(code).toBe(1);
});

test("several first starts at once on one empty database all come up", async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const settings = { ROWMILL_DATABASE_URL: database.url, ROWMILL_ENCRYPTION_KEY: encryptionKey };
  const services = await Promise.all(Array.from({ length: 3 }, () => startTestService(settings)));
  for (const service of services) expect((await service.api("GET", "/v1/organizations")).body.data).toEqual([]);
  await Promise.all(services.map((service) => service.stop()));
});

describe("with the embedded database", () => {
  test("everything is there after a kill -9, under the same keys; a second process is refused meanwhile", async () => {
    const first = await startServiceProcess({ ROWMILL_ADMIN_KEY: "" });
    const adminKey = await waitFor(() => /^ {2}ADMIN_KEY=(rma_[0-9A-Za-z]{38})$/m.exec(first.logs().join("\n"))?.[1]);
    expect(first.logs().join("\n")).toContain("shown only this once");
    expect(first.logs().join("\n").split(adminKey)).toHaveLength(2);
    const tenant = await first.newOrganization(adminKey);

    const second = await runMain({ ...first.settings, ROWMILL_PORT: "0" });
    expect([second.code, second.output]).toEqual([1, expect.stringContaining("Another Rowmill is running on")]);
    expect((await tenant.api("GET", "/v1/me")).status).toBe(200);

    first.kill("SIGKILL");
    expect((await first.exited).signal).toBe("SIGKILL");
    const third = await startServiceProcess(first.settings);
    expect(third.logs().join("\n")).not.toContain("rma_");
    expect((await third.api("GET", `/v1/organizations/${tenant.organizationId}`, { key: adminKey })).status).toBe(200);
    expect((await third.api("GET", "/v1/me", { key: tenant.apiKey })).status).toBe(200);

    third.kill("SIGTERM");
    expect(await third.exited).toEqual({ code: 0, signal: null });
  });
});

test("the lines that the first start prints lead from nothing to a processed file", async () => {
  const service = await startServiceProcess({
    ...(await quickSettings()),
    ...(await emptyDatabase()),
    ROWMILL_ADMIN_KEY: "",
  });
  const output = await waitFor(() => {
    const text = service.logs().join("\n");
    return text.includes("is described at") ? text : undefined;
  });
  const script = output
    .slice(output.indexOf("paste these lines"))
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .join("\n");
  const directory = await newDataDirectory();
  // As a person pastes them: the shell reads them line by line from its input.
  const shell = spawnSync("bash", ["--noprofile", "--norc"], {
    cwd: directory,
    input: script,
    encoding: "utf8",
    timeout: SHELL_TIMEOUT_MS,
  });
  expect([shell.status, shell.stderr]).toEqual([0, ""]);
  expect(shell.stdout).toContain('"state":"succeeded"');
  const file = await readFile(join(directory, "labels.csv"), "utf8");
  expect(file).toContain("London");
  expect(file).toMatch(/Grace, New York/);

  service.kill("SIGTERM");
  await service.exited;
  const again = await startServiceProcess(service.settings);
  expect(again.logs().join("\n")).not.toContain("ADMIN_KEY=");
});

test("a lost admin key is replaced by one start with another", async () => {
  const settings = { ...(await quickSettings()), ...(await emptyDatabase()) };
  const lost = "the-admin-key-that-was-lost";
  const first = await startTestService({ ...settings, ROWMILL_ADMIN_KEY: lost });
  const tenant = await first.newOrganization();
  await first.stop();
  const second = await startTestService({ ...settings, ROWMILL_ADMIN_KEY: "the-admin-key-that-is-new" });
  await second.stop();
  // The setting need not stay.
  const third = await startTestService({ ...settings, ROWMILL_ADMIN_KEY: "" });
  expect((await third.api("GET", "/v1/organizations", { key: lost })).status).toBe(401);
  const { body } = await third.api("GET", "/v1/organizations", { key: "the-admin-key-that-is-new" });
  expect(body.data.map(({ id }) => id)).toEqual([tenant.organizationId]);
  expect((await third.api("GET", "/v1/me", { key: tenant.apiKey })).status).toBe(200);
});

test("a parent that ends while the service starts takes it along, without an error", async () => {
  const child = spawn(process.execPath, ["--conditions=@rowmill/source", MAIN], {
    env: { PATH: process.env["PATH"], ROWMILL_LOG_LEVEL: "silent", ...(await quickSettings()) },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const [output, ended] = [text(child.stderr ?? Readable.from([])), once(child, "exit")];
  child.disconnect();
  expect([await ended, await output]).toEqual([[0, null], ""]);
});

describe("a signal", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s ends the process with 0, without a wait for connections, and twice as well",
    async (signal) => {
      const service = await startServiceProcess(await quickSettings());
      await service.api("GET", "/v1/openapi.json");
      service.kill(signal);
      service.kill(signal);
      expect(await service.exited).toEqual({ code: 0, signal: null });
      expect(service.logs().filter((line) => line.includes(CUT_OFF))).toEqual([]);
    },
  );

  test("lets a request that is under way end", async () => {
    const service = await startServiceProcess(await quickSettings());
    const body = JSON.stringify({ name: "Under way" });
    const sent = request(`${service.url}/v1/organizations`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${service.adminKey}`,
        "Content-Type": "application/json",
        "Content-Length": body.length,
        "Idempotency-Key": "under-way",
      },
    });
    const responded = once(sent, "response");
    sent.write(body.slice(0, 5));
    await waitFor(() => sent.socket?.bytesWritten, { what: "the request has begun" });
    // What was sent has arrived when a later request got its response.
    await service.api("GET", "/v1/openapi.json");
    service.kill("SIGTERM");
    await waitFor(() => service.logs().some((line) => line.includes("stopping: SIGTERM")));
    sent.end(body.slice(5));
    const [response] = (await responded) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(201);
    expect((await service.exited).code).toBe(0);
    expect(service.logs().filter((line) => line.includes(CUT_OFF))).toEqual([]);
  });

  test("while it starts ends it with 0, too", async () => {
    const service = await startServiceProcess({ ...(await quickSettings()), ROWMILL_ROLE: "worker" });
    service.kill("SIGTERM");
    expect((await service.exited).code).toBe(0);
  });
});

describe("roles", () => {
  test("every role says whether it is alive and ready; a worker serves nothing else", async () => {
    for (const role of ["all", "api", "worker"]) {
      const service = await startTestService({ ROWMILL_ROLE: role });
      for (const path of ["/healthz", "/readyz"]) {
        const reply = await fetch(service.url + path);
        expect([role, path, reply.status]).toEqual([role, path, 200]);
      }
      const { status } = await fetch(`${service.url}/v1/error-codes`);
      expect([role, status]).toEqual([role, role === "worker" ? 404 : 200]);
      await service.stop();
    }
  });
});
