import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";

let service: TestService;
let owner: TestOrganization;

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newOrganization();
});

interface Refusal {
  jsonrpc: string;
  id: unknown;
  error?: { code: number; message: string; data: { code: string; requestId: string } };
  result?: { isError?: boolean; content: { text: string }[] };
}

async function post(text: string, headers: Record<string, string> = {}): Promise<{ status: number; body: Refusal }> {
  const response = await fetch(new URL("/mcp", service.url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${owner.apiKey}`,
      ...headers,
    },
    body: text,
  });
  const received = await response.text();
  // One message, as JSON or as the only event of a stream.
  const data = /^data: (.+)$/m.exec(received)?.[1] ?? received;
  return { status: response.status, body: JSON.parse(data) as Refusal };
}
const callOf = (name: string, args: string): string =>
  `{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;

test("a number that would become another one is an error of the tool, with the id of the call", async () => {
  for (const [number, words] of [
    ["12345678901234567890", "`params.arguments.processor.body.account` has more digits than a number keeps here"],
    ["1e999", "`params.arguments.processor.body.account` must be a number from"],
  ] as const) {
    const processor = `{"type":"http","url":"https://example.com","body":{"account":${number}}}`;
    const { status, body } = await post(callOf("write_spec", `{"name":"s","processor":${processor}}`));
    expect([status, body.jsonrpc, body.id, body.result?.isError]).toEqual([200, "2.0", "seven", true]);
    expect(body.result?.content[0]?.text).toMatch(/^invalid_request \(400, req_/);
    expect(body.result?.content[0]?.text).toContain(words);
  }
  const refused = await post('{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"n":12345678901234567890}}');
  expect([refused.status, refused.body.id, refused.body.error?.code]).toEqual([400, 3, -32_600]);
  const unnamed = await post('{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call"}');
  expect([unnamed.status, unnamed.body.id, unnamed.body.error?.code]).toEqual([400, null, -32_600]);
});

test.each([
  ["what is not JSON", "{", {}, 400, null, -32_700, "invalid_json"],
  ["JSON that is too deep", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, {}, 400, null, -32_700, "invalid_json"],
  ["several messages", "[]", {}, 400, null, -32_600, "invalid_request"],
  ["a body that is too large", " ".repeat(1_048_577), {}, 413, null, -32_600, "payload_too_large"],
  ["another type of content", "{}", { "content-type": "text/plain" }, 415, null, -32_600, "unsupported_media_type"],
  ["a key that is none", "{}", { authorization: "Bearer rmk_wrong" }, 401, null, -32_000, "invalid_api_key"],
  ["a page of others", "{}", { origin: "https://evil.example.com" }, 403, null, -32_000, "origin_not_allowed"],
] as const)("%s is refused by an error of JSON-RPC", async (_, text, headers, status, id, number, code) => {
  const refused = await post(text, headers);
  expect(refused).toMatchObject({
    status,
    body: {
      jsonrpc: "2.0",
      id,
      error: { code: number, message: expect.stringContaining(`(${code})`) as string, data: { code } },
    },
  });
  expect(refused.body.error?.data.requestId).toMatch(/^req_/);
});

test("a tool that there is not, and arguments that do not fit, have the id of the call", async () => {
  const unknown = await post(callOf("find_all", "{}"));
  expect([unknown.status, unknown.body.id, unknown.body.error?.code]).toEqual([200, "seven", -32_602]);
  const wrong = await post(callOf("find", '{"kind":7}'));
  expect([wrong.status, wrong.body.id, wrong.body.result?.isError]).toEqual([200, "seven", true]);
});

test.each(["auto", "legacy"] as const)("a rate limit is a result that a model can read (%s)", async (mode) => {
  const limited = await startTestService({ ROWMILL_RATE_LIMIT_PER_MINUTE: "60", ROWMILL_RATE_LIMIT_BURST: "6" });
  const { apiKey } = await limited.newOrganization();
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${apiKey}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", limited.url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const texts: string[] = [];
  for (let at = 0; at < 8; at++) {
    const result = await client.callTool({ name: "explain_code", arguments: { code: "not_found" } });
    const [first] = result.content as { text: string }[];
    if (result.isError === true) texts.push(first?.text ?? "");
  }
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(text).toMatch(/^rate_limited \(429, req_\w+\): .* Wait \d+ seconds? first\./);
  const response = await fetch(new URL("/mcp", limited.url), {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: '{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{}}',
  });
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  expect([response.status, await response.json()]).toMatchObject([
    429,
    { id: 9, error: { data: { code: "rate_limited" } } },
  ]);
});
