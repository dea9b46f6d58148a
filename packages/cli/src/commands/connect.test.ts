import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, onTestFinished, test } from "vitest";
import { newLocalPlace, newPlace, runCommand, runInTerminal } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });
const own = await service.newOrganization();
const RIGHT_KEY = "sk-right-0123456789";

const COMPLETION = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "small",
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** A provider that lists its models to every client that has the key, and responds to prompts with `yes`. */
async function provider(): Promise<string> {
  const server = createServer((request, response) => {
    const isRight = request.headers.authorization === `Bearer ${RIGHT_KEY}`;
    const body = request.method === "POST" ? COMPLETION : { data: [{ id: "small" }, { id: "large" }] };
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isRight ? body : { error: { message: "no" } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // it listens on TCP
}

const signedIn = (settings: Record<string, string> = {}): Place =>
  newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: own.apiKey, ...settings });
const keyFile = (place: Place, key: string): string => {
  const file = join(place.folder, "key.txt");
  writeFileSync(file, `${key}\n`);
  return file;
};
const namesOfConnections = async (): Promise<string[]> =>
  (await own.api<{ data: { name: string }[] }>("GET", "/v1/connections")).body.data.map(({ name }) => name);

test("connect: tests the key and keeps the connection; a second time it changes the same one", async () => {
  const place = signedIn();
  const file = keyFile(place, RIGHT_KEY);
  const args = ["connect", "openai", "--name", "mine", "--base-url", await provider(), "--key-file", file] as const;
  const first = await runCommand(place, ...args);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain('Connected: "mine"');
  expect(first.stdout).toContain("Models: small, large.");
  // A model on this machine costs nothing.
  expect(first.stdout).toContain("Prices: $0 in, $0 out");
  const again = await runCommand(place, ...args, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ name: "mine", hasSecret: true, test: { ok: true } });
  expect((await namesOfConnections()).filter((name) => name === "mine")).toHaveLength(1);
  expect(first.stdout + again.stdout).not.toContain(RIGHT_KEY);
});

test("connect: what somebody has set stays when the price alone is changed, and the price when the key is", async () => {
  const place = signedIn();
  const file = keyFile(place, RIGHT_KEY);
  const args = ["connect", "openai", "--name", "priced", "--base-url", await provider()] as const;
  expect(await runCommand(place, ...args, "--key-file", file, "--price", "1/2")).toMatchObject({ code: 0 });
  const repriced = await runCommand(place, ...args, "--price", "3/4");
  expect(repriced).toMatchObject({ code: 0, stderr: "" });
  expect(repriced.stdout).toContain("Prices: $3 in, $4 out");
  const rotated = await runCommand(place, ...args, "--key-file", file);
  expect(rotated.stdout).toContain("Prices: $3 in, $4 out");
});

test("connect: where no service is named it is that of `rowmill map`, which then uses the connection as it is shown", async () => {
  const { place } = await newLocalPlace();
  const without = await runCommand(place, "connect", "mistral");
  // Nobody is there to give a key: no service is made for that.
  expect([without.code, (await runCommand(place, "runs")).stderr]).toEqual([
    4,
    expect.stringContaining("No service is named.") as string,
  ]);
  writeFileSync(join(place.folder, "in.csv"), "text\none\n");
  const ask = ["--model", "gpt-5-mini", "--prompt", "{{text}}", "-o", "out.csv"];
  const refused = await runCommand(place, "map", "in.csv", ...ask, "--price", "1/2");
  expect(refused.stderr).toContain(
    "Or keep the key with `rowmill connect openai`, and use --connection openai --model gpt-5-mini without --price",
  );
  const file = keyFile(place, RIGHT_KEY);
  const made = await runCommand(place, "connect", "openai", "--base-url", await provider(), "--key-file", file);
  expect(made.code).toBe(0);
  const local = "The connection is in the service of this machine that `rowmill map` uses;";
  expect(made.stderr).toContain(local);
  const asJson = await runCommand(
    place,
    "connect",
    "openai",
    "--price",
    "1/2",
    "--base-url",
    await provider(),
    "--key-file",
    file,
    "--json",
  );
  expect([asJson.code, asJson.stderr]).toEqual([0, expect.stringContaining(local)]);
  expect(made.stdout).toContain("\nNext: rowmill map FILE --connection openai --model MODEL --prompt ");
  const mapped = await runCommand(place, "map", "in.csv", ...ask, "--connection", "openai", "--yes");
  expect(mapped).toMatchObject({ code: 0, stdout: expect.stringContaining("succeeded: 1 of 1 row") as string });
});

test("connect: a wrong key keeps nothing, and ends with 4 and one sentence what to do", async () => {
  const place = signedIn();
  const file = keyFile(place, "sk-wrong-0123456789");
  const url = await provider();
  const refused = await runCommand(
    place,
    "connect",
    "openai",
    "--name",
    "wrong",
    "--base-url",
    url,
    "--key-file",
    file,
  );
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("Check the key");
  expect(refused.stderr).not.toContain("sk-wrong");
  expect(await namesOfConnections()).not.toContain("wrong");
});

test("connect: a server without a list of models is refused with what to do, and kept with --no-test", async () => {
  const place = signedIn();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isChat = request.method === "POST";
    response.writeHead(isChat ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isChat ? COMPLETION : { error: { message: "There is no such path." } }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // it listens on TCP
  const args = ["connect", "openai", "--name", "unlisted", "--base-url", url] as const;
  const refused = await runCommand(place, ...args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    "Nothing was kept. Check the address. Where the server does not list its models, add --no-test.",
  );
  expect(await namesOfConnections()).not.toContain("unlisted");

  const kept = await runCommand(place, ...args, "--no-test");
  expect(kept).toMatchObject({ code: 0, stderr: "" });
  expect(kept.stdout).toContain("It was not tested: the first call shows whether its address and its key are right.");
  expect(asked).toEqual(["GET /v1/models"]);
  const again = await runCommand(place, ...args, "--no-test", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ name: "unlisted", test: null });
  expect((await namesOfConnections()).filter((name) => name === "unlisted")).toHaveLength(1);
  writeFileSync(join(place.folder, "in.csv"), "company\nAcorn\n");
  const how = ["--connection", "unlisted", "--model", "small", "--prompt", "Say {{company}}", "--yes"];
  expect(await runCommand(place, "map", "in.csv", ...how)).toMatchObject({ code: 0 });
  expect(asked.slice(1)).toEqual(["POST /v1/chat/completions"]);
});

test("connect http: --no-test keeps the address of a service that does not respond yet", async () => {
  const place = signedIn();
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const args = ["connect", "http", "--name", "later", "--base-url", url] as const;
  const refused = await runCommand(place, ...args);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--no-test keeps it") as string });
  const kept = await runCommand(place, ...args, "--no-test");
  expect(kept).toMatchObject({ code: 0, stderr: "" });
  expect(kept.stdout).toContain("It was not tested");
});

test("connect and login: in a terminal they ask for the key, and do not show it", async () => {
  const args = ["connect", "openai", "--name", "asked", "--base-url", await provider()];
  // A server on this machine is asked without a key first.
  const asked = await runInTerminal(signedIn(), args, [["API key of openai:", `${RIGHT_KEY}\r`]]);
  expect({ code: asked.code, screen: asked.screen }).toMatchObject({ code: 0 });
  expect(asked.screen).toContain('Connected: "asked"');
  expect(asked.screen).not.toContain(RIGHT_KEY);
  const login = await runInTerminal(newPlace(), ["login", "--url", service.url], [["API key:", `${own.apiKey}\r`]]);
  expect({ code: login.code, screen: login.screen }).toMatchObject({ code: 0 });
  expect(login.screen).toContain("Signed in to");
  expect(login.screen).not.toContain(own.apiKey);
  const place = newPlace();
  const wrong = await runCommand(place, "login", "--url", service.url, "--key-file", keyFile(place, "rmk_unknown"));
  expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("does not accept this key") as string });
});

test("login: an address that is none is refused before the key is asked for", async () => {
  expect(await runCommand(newPlace(), "login", "--url", "nonsense")).toMatchObject({
    code: 2,
    stderr: 'rowmill: "nonsense" is not the address of a service.\n  Write it as https://rowmill.example.com.\n',
  });
});

test("connect: without a key and without a terminal it says where a key can come from", async () => {
  const place = signedIn();
  const asked = await runCommand(place, "connect", "mistral");
  expect(asked.code).toBe(4);
  expect(asked.stderr).toContain("MISTRAL_API_KEY");
  expect(await runCommand(place, "connect", "nobody")).toMatchObject({ code: 2 });
  // The provider's key in the environment is for the provider alone.
  const elsewhere = signedIn({ OPENAI_API_KEY: RIGHT_KEY });
  const other = await runCommand(elsewhere, "connect", "openai", "--base-url", "https://models.example.com/v1");
  expect(other.code).toBe(4);
});

/** A service without a page at its address, which takes requests with the key. */
async function httpService(): Promise<{ url: string; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const isJob = request.url === "/v2/jobs";
    if (isJob) keys.push(request.headers["x-key"]?.toString());
    response.writeHead(isJob ? 200 : 404, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`, keys }; // it listens on TCP
}
const connectionsNamed = async (name: string): Promise<object[]> =>
  (await own.api<{ data: object[] }>("GET", `/v1/connections?name=${name}`)).body.data;

test("connect http: keeps address, key, rate limit and price of a service, and map uses them", async () => {
  const place = signedIn();
  const { url, keys } = await httpService();
  const file = keyFile(place, RIGHT_KEY);
  const limits = ["--rate-limit", "600", "--price", "0.002"];
  const made = await runCommand(
    place,
    "connect",
    "http",
    "--name",
    "Jobs",
    "--base-url",
    `${url}/`,
    "--key-file",
    file,
    ...limits,
  );
  expect(made).toMatchObject({ code: 0, stderr: "" });
  expect(made.stdout).toMatch(/^Connected: "Jobs" \(conn_\w+\) at http:\/\/127\.0\.0\.1:\d+\/v2, with a key\.\n.* 404/);
  expect(made.stdout).not.toContain(RIGHT_KEY);
  const connection = { type: "http", baseUrl: url, hasSecret: true, prices: { requestUsd: "0.002" } };
  expect(await connectionsNamed("Jobs")).toMatchObject([{ ...connection, rateLimit: { requestsPerMinute: 600 } }]);

  writeFileSync(join(place.folder, "in.csv"), "id\n1\n");
  const map = ["map", "in.csv", "--http", "POST /jobs", "--connection", "Jobs", "--yes", "-o", "out.csv"];
  expect(await runCommand(place, ...map, "--header", "x-key: {{connection.secret}}")).toMatchObject({ code: 0 });
  expect(keys).toEqual([RIGHT_KEY]);

  // What is not named stays.
  const changed = await runCommand(place, "connect", "http", "--name", "Jobs", "--rate-limit", "60", "--json");
  expect(JSON.parse(changed.stdout)).toMatchObject({
    ...connection,
    rateLimit: { requestsPerMinute: 60 },
    test: { status: 404 },
  });
  expect(await connectionsNamed("Jobs")).toHaveLength(1);
});

test("connect http: in a terminal it asks for the key, and Enter is none", async () => {
  const { url } = await httpService();
  const connect = (name: string, keys: string) =>
    runInTerminal(
      signedIn(),
      ["connect", "http", "--name", name, "--base-url", url],
      [[`Key of ${name} (Enter: none):`, keys]],
    );
  const open = await connect("Open", "\r");
  expect(open).toMatchObject({ code: 0 });
  expect(open.screen).toContain("without a key.");
  const closed = await connect("Closed", `${RIGHT_KEY}\r`);
  expect(closed).toMatchObject({ code: 0 });
  expect(closed.screen).toContain("with a key.");
  expect(closed.screen).not.toContain(RIGHT_KEY);
  expect(await connectionsNamed("Open")).toMatchObject([{ hasSecret: false }]);
  expect(await connectionsNamed("Closed")).toMatchObject([{ hasSecret: true }]);
});

test.each([
  ["an address", ["--name", "New"], 2, "needs an address"],
  ["a scheme in the address", ["--base-url", "localhost:3000"], 2, '"localhost:3000" is not a URL'],
  [
    "a price of a request",
    ["--base-url", "https://api.example.com", "--price", "1/2"],
    2,
    "is not the price of a request",
  ],
  ["a service that responds", ["--name", "Away", "--base-url", "http://127.0.0.1:9"], 1, "does not respond: "],
])("connect http without %s keeps nothing", async (_, args, code, message) => {
  expect(await runCommand(signedIn(), "connect", "http", ...args)).toMatchObject({
    code,
    stderr: expect.stringContaining(message) as string,
  });
  expect(await namesOfConnections()).not.toContain("Away");
});

test("connect: a name of another type is refused", async () => {
  const { url } = await httpService();
  expect(await runCommand(signedIn(), "connect", "http", "--name", "taken", "--base-url", url)).toMatchObject({
    code: 0,
  });
  const other = await runCommand(signedIn(), "connect", "ollama", "--name", "taken", "--base-url", url);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("of the type http") as string });
});

test("login and profiles: keep, choose and remove; keys are never shown", async () => {
  const place = newPlace();
  const file = keyFile(place, own.apiKey);
  const login = await runCommand(place, "login", "--url", `${service.url}/`, "--key-file", file);
  expect(login).toMatchObject({ code: 0, stderr: "" });
  const second = await runCommand(place, "login", "--url", service.url, "--name", "work", "--key-file", file);
  expect(second.stdout).toContain("--profile work");
  expect(JSON.parse((await runCommand(place, "whoami", "--json")).stdout)).toMatchObject({ profile: "default" });
  expect((await runCommand(place, "profiles", "use", "work")).code).toBe(0);
  expect(JSON.parse((await runCommand(place, "whoami", "--json")).stdout)).toMatchObject({ profile: "work" });
  const listed = await runCommand(place, "profiles", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject({
    data: [
      { name: "default", isDefault: false },
      { name: "work", isDefault: true },
    ],
  });
  expect((await runCommand(place, "profiles", "remove", "work")).code).toBe(0);
  expect((await runCommand(place, "profiles", "use", "work")).code).toBe(2);
  expect(login.stdout + second.stdout + listed.stdout).not.toContain(own.apiKey);

  writeFileSync(file, "rmk_wrong");
  const refused = await runCommand(place, "login", "--url", service.url, "--name", "wrong", "--key-file", file);
  expect(refused.code).toBe(4);
  expect((await runCommand(place, "profiles")).stdout).not.toContain("wrong");
});
