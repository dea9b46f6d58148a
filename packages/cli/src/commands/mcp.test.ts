import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, onTestFinished, test } from "vitest";
import { COMMAND, newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

const service = await startTestService();

test.each(["auto", "legacy"] as const)("the official client uses the tools over stdio (%s)", async (mode) => {
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...COMMAND, "mcp"],
      env: environment,
      cwd: folder,
    }),
  );
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(14);
  const made = await client.callTool({ name: "upload_rows", arguments: { name: "é", rows: [{ a: 1 }] } });
  expect(JSON.stringify(made.content)).toMatch(/Dataset ds_\w+ has 1 row\b/);
});

test("what cannot be served is an error of the protocol, and nothing else is on stdout", async () => {
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: "rmk_wrong" });
  const list = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}';
  const { stdout, code } = await typeCommand({ environment, directory: folder, stdin: `nonsense\n\n${list}\n` }, "mcp");
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: unknown; error: { message: string } });
  expect(code).toBe(0);
  expect(lines.find(({ id }) => id === null)?.error.message).toBe("The line is not JSON.");
  expect(lines.find(({ id }) => id === "a")?.error.message).toContain("(invalid_api_key)");
});
