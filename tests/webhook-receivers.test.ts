/** The receivers of the docs accept what the service signs, and nothing else. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { newSigningSecret, signedHeaders } from "@rowmill/server/resources/webhook-endpoints/signing";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { waitFor } from "@rowmill/server/testing/wait";
import worker from "../examples/receivers/edge/worker.ts";
import { POST } from "../examples/receivers/nextjs/route.ts";
import { canRun, receiversFolder, receiveWith, startReceiverProgram } from "./support/receivers.ts";
import type { Program, RunningReceiver } from "./support/receivers.ts";
import { forgedDeliveries, genuineDeliveries, signDelivery } from "./support/signed-deliveries.ts";

const execute = promisify(execFile);
const secret = newSigningSecret();
const scratch = mkdtempSync(join(tmpdir(), "rowmill-receivers-"));
cleanUpLater(async () => rmSync(scratch, { recursive: true, force: true }));

async function expectItAcceptsOnlyWhatIsGenuine(receiver: RunningReceiver): Promise<void> {
  for (const [name, forged] of forgedDeliveries(secret))
    expect([name, await receiver.deliver(forged)]).toEqual([name, 400]);
  const genuine = genuineDeliveries(secret);
  for (const delivery of genuine) expect(await receiver.deliver(delivery)).toBe(204);
  const accepted = await waitFor(() => receiver.accepted().length >= genuine.length && receiver.accepted());
  expect(accepted).toEqual(genuine.map(({ event }) => event));
}

const node = (folder: string, file: string): Program => ({
  command: process.execPath,
  args: ["--conditions=@rowmill/source", file],
  folder,
});
const python = (...args: string[]): Program => ({ command: "python3", args, folder: "python" });

describe("with the client's verification", () => {
  test.each([
    ["Express", node("express", "receiver.mjs")],
    ["Fastify", node("fastify", "receiver.ts")],
  ])("%s", async (_name, program) => {
    await expectItAcceptsOnlyWhatIsGenuine(await startReceiverProgram(program, secret));
  });

  test("Next.js", async () => {
    vi.stubEnv("SIGNING_SECRET", secret);
    try {
      await expectItAcceptsOnlyWhatIsGenuine(receiveWith(POST));
    } finally {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  });
});

describe("with nothing of ours", () => {
  test("WebCrypto at the edge", async () => {
    try {
      const receiver = receiveWith((request) => worker.fetch(request, { SIGNING_SECRET: secret }));
      await expectItAcceptsOnlyWhatIsGenuine(receiver);
    } finally {
      vi.restoreAllMocks();
    }
  });

  const pythons: [name: string, modules: string, program: Program][] = [
    ["Python", "http.server", python("receiver.py")],
    ["Flask", "flask", python("-m", "flask", "--app", "flask_receiver", "run", "--port", "0")],
    ["FastAPI", "fastapi, uvicorn", python("-m", "uvicorn", "fastapi_receiver:app", "--port", "0")],
  ];
  for (const [name, modules, program] of pythons) {
    const isThere = canRun("python3", "-c", `import sys, ${modules}; sys.exit(sys.version_info < (3, 9))`);
    test.skipIf(!isThere)(isThere ? name : `${name} (skipped: no python3 with ${modules} here)`, async () => {
      await expectItAcceptsOnlyWhatIsGenuine(await startReceiverProgram(program, secret));
    });
  }

  const hasGo = canRun("go", "version");
  test.skipIf(!hasGo)(hasGo ? "Go" : "Go (skipped: no go here)", async () => {
    const command = join(scratch, "receiver");
    await execute("go", ["build", "-o", command, "receiver.go"], { cwd: `${receiversFolder}go` });
    await expectItAcceptsOnlyWhatIsGenuine(await startReceiverProgram({ command, args: [], folder: "go" }, secret));
  });
});

const hasTools = canRun("openssl", "version") && canRun("curl", "--version") && canRun("sh", "-c", "od --version");
describe.skipIf(!hasTools)(hasTools ? "by hand" : "by hand (skipped: no sh, od, openssl and curl here)", () => {
  const run = async (script: string, env: Record<string, string>): Promise<string> => {
    const { stdout } = await execute("sh", [`${receiversFolder}by-hand/${script}`], {
      cwd: scratch,
      env: { PATH: process.env["PATH"], SIGNING_SECRET: secret, ...env },
    });
    return stdout;
  };

  test("a signature is checked with openssl", async () => {
    const { headers, body } = signDelivery([secret]);
    const env = {
      TIMESTAMP: headers["service-webhook-timestamp"] ?? "",
      SIGNATURE: headers["service-webhook-signature"] ?? "",
    };
    writeFileSync(join(scratch, "body.json"), body);
    expect(await run("check-signature.sh", env)).toBe("genuine\n");
    writeFileSync(join(scratch, "body.json"), `${body}\n`);
    expect(await run("check-signature.sh", env)).toMatch(/^forged/);
    writeFileSync(join(scratch, "body.json"), body);
    expect(await run("check-signature.sh", { ...env, SIGNING_SECRET: newSigningSecret() })).toMatch(/^forged/);
  });

  test("an event signed with openssl is accepted, and refused under another secret", async () => {
    const receiver = await startReceiverProgram(node("fastify", "receiver.ts"), secret);
    expect(await run("send-signed.sh", { RECEIVER: receiver.url })).toMatch(/204\n$/);
    expect(await waitFor(() => receiver.accepted()[0])).toMatch(/ test\.ping$/);
    expect(await run("send-signed.sh", { RECEIVER: receiver.url, SIGNING_SECRET: newSigningSecret() })).toMatch(
      /400\n$/,
    );
  });

  test("the signatures made with openssl are those of the service", async () => {
    let received: { headers: IncomingHttpHeaders; body: string } | undefined;
    const server = createServer((request, response) => {
      const { headers } = request;
      text(request).then(
        (body) => {
          received = { headers, body };
          response.writeHead(204).end();
        },
        () => response.destroy(),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanUpLater(async () => void server.close());
    const { port } = server.address() as AddressInfo; // it listens on TCP
    await run("send-signed.sh", { RECEIVER: `http://127.0.0.1:${port}/` });
    const { headers, body } = received ?? { headers: {}, body: "" };
    const nowMs = Number(headers["webhook-timestamp"]) * 1_000;
    const eventId = (JSON.parse(body) as { id: string }).id;
    const expected = signedHeaders({ prefix: "service", secrets: [secret], eventId, body: Buffer.from(body), nowMs });
    const lowerCase = Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value]);
    expect(headers).toMatchObject(Object.fromEntries(lowerCase) as Record<string, string>);
  });
});
