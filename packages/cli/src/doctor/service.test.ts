/** A service as `rowmill doctor` may meet it: its clock is far off, its version another, its disk or its key away. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { typeCommand } from "../testing/in-process.ts";
import type { Finding } from "./finding.ts";

const me = { kind: "admin", organizationId: null, apiKeyId: null, scopes: [], role: null };
const wellParts = { store: "available", disk: "sufficient", encryptionKey: "available", egress: "available" };

interface Service {
  clockSeconds?: number;
  version?: string;
  parts?: Readonly<Record<string, string>>;
}

/** What a service responds to the requests of `doctor`. */
async function start({ clockSeconds = 0, version = "0.0.0-test", parts = {} }: Service): Promise<string> {
  const bodies: Readonly<Record<string, unknown>> = {
    "/healthz": { status: "ok" },
    "/readyz": { status: "ready", ...wellParts, ...parts },
    "/v1/me": me,
    "/v1/service": { version },
    "/v1/service/health": { ok: true, checks: [] },
  };
  const server = createServer((request, response) => {
    const body = bodies[request.url ?? ""];
    const date = new Date(Date.now() + clockSeconds * 1000).toUTCString();
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json", date });
    response.end(JSON.stringify(body ?? { error: { code: "not_found", message: request.url } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of TCP
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function examine(settings: Readonly<Record<string, string>>): Promise<{ code: number; wrong: Finding[] }> {
  const directory = newFolder();
  const environment = {
    XDG_DATA_HOME: join(directory, "data"),
    XDG_CONFIG_HOME: join(directory, "config"),
    ...settings,
  };
  const { code, stdout } = await typeCommand({ environment, directory }, "doctor", "--json");
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }; // of our own
  // A busy machine may be slow to respond.
  const isWrong = ({ level, message }: Finding): boolean =>
    (level === "warning" && message !== "responds slowly") || level === "problem";
  return { code, wrong: findings.filter(isWrong) };
}

const examineService = async (service: Service) =>
  examine({ ROWMILL_URL: await start(service), ROWMILL_API_KEY: "rmk_0123456789" });

const SENTENCE = /^.+$/;

test.each<[string, Service, number, Pick<Finding, "level" | "subject" | "message">]>([
  [
    "a clock",
    { clockSeconds: -7200 },
    0,
    { level: "warning", subject: "clock", message: "differs from the service's by" },
  ],
  ["a version", { version: "9.9.9" }, 0, { level: "warning", subject: "versions", message: "is of version 9.9.9" }],
  ["a full disk", { parts: { disk: "low" } }, 1, { level: "problem", subject: "disk of the service", message: "full" }],
  [
    "a disk away",
    { parts: { disk: "unknown" } },
    1,
    { level: "problem", subject: "disk of the service", message: "gone" },
  ],
  [
    "an encryption key",
    { parts: { encryptionKey: "unavailable" } },
    1,
    { level: "problem", subject: "encryption key", message: "not in its place" },
  ],
  ["egress", { parts: { egress: "unavailable" } }, 0, { level: "warning", subject: "egress", message: "calls" }],
])("%s that is not well is one finding, with what to do", async (_, service, code, { message, ...finding }) => {
  const found = await examineService(service);
  expect(found.code).toBe(code);
  expect(found.wrong.filter(({ subject }) => subject !== "key")).toEqual([
    {
      ...finding,
      message: expect.stringContaining(message) as string,
      advice: expect.stringMatching(SENTENCE) as string,
    },
  ]);
});

test("a directory that the local service cannot write is a problem where no service is named, and else a warning", async () => {
  const file = join(newFolder(), "file");
  writeFileSync(file, "");
  const finding = {
    subject: "local service",
    message: `cannot keep its data in ${join(file, "rowmill")}: ${file} is not a directory`,
    advice: expect.stringContaining("XDG_DATA_HOME") as string,
  };
  const alone = await examine({ XDG_DATA_HOME: file });
  expect(alone).toEqual({ code: 1, wrong: [{ level: "problem", ...finding }] });
  const named = { ROWMILL_URL: await start({}), ROWMILL_API_KEY: "rmk_0123456789", XDG_DATA_HOME: file };
  const found = await examine(named);
  expect(found.code).toBe(0);
  expect(found.wrong).toContainEqual({ level: "warning", ...finding });
});
