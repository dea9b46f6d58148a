import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Rowmill, verifyWebhook } from "@rowmill/client";
import type { WebhookEvent } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { expect, onTestFinished, test } from "vitest";
import { newPlace, runCommand, runInTerminal, startCommand } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";
import type { Place } from "../testing/command-process.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });

/** A receiver that verifies, as a developer's does. */
async function receiver(place: Place) {
  const secret = (await runCommand(place, "listen", "--print-secret")).stdout.trim();
  const events: WebhookEvent[] = [];
  const problems: unknown[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let payload = "";
    request.on("data", (chunk) => (payload += String(chunk)));
    request.on("end", () => {
      verifyWebhook({ payload, headers: request.headers, secret })
        .then((event) => events.push(event))
        .catch((error: unknown) => problems.push(error))
        .finally(() => response.writeHead(status).end());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    events,
    problems,
    secret,
    url: `http://127.0.0.1:${port}/hooks`,
    response: (with_: number) => (status = with_),
  };
}

async function newUser() {
  const own = await service.newOrganization();
  const place = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: own.apiKey });
  return { place, rowmill: new Rowmill({ apiKey: own.apiKey, baseUrl: service.url }) };
}

test("listen forwards events, signed so that the receiver's own check accepts them, with status and time", async () => {
  const { place, rowmill } = await newUser();
  const { events, problems, secret, url, response: respond } = await receiver(place);
  expect(secret).toMatch(/^whsec_/);
  const listening = startCommand(place, "listen", "--forward-to", url, "--events", "dataset.*");
  await waitFor(() => listening.output().includes(`Listening to ${service.url}. Events go to ${url}.`));
  const { id } = await rowmill.datasets.upload({ name: "Rows", rows: [{ a: 1 }] });
  await waitFor(() => events.length === 1);
  expect([events[0]?.type, events[0]?.data]).toMatchObject(["dataset.ready", { id }]);
  await waitFor(() => /dataset\.ready {2}evt_\w+ {2}→ 200 {2}\d+ ms/.test(listening.output()));
  respond(500);
  await rowmill.datasets.upload({ name: "More", rows: [{ a: 1 }] });
  await waitFor(() => listening.output().includes("→ 500"));
  listening.child.kill("SIGINT");
  expect((await listening.ended).code).toBe(0);
  expect(listening.output()).toContain("2 forwarded, 1 not accepted.");
  expect(listening.output()).not.toContain(secret);
  expect(problems).toEqual([]);
});

test("what is no event is left out with a sentence, and the next event is forwarded", async () => {
  const { place } = await newUser();
  const { url } = await receiver(place);
  const messages = [
    "data: null",
    "data: 7",
    "event: stream.gap\ndata: null",
    'id: 1\ndata: {"id":"evt_1","type":"run.finished"}',
  ];
  const stream = createServer((request, response) => {
    // The second connection ends the command: its key is refused.
    if (request.headers["last-event-id"] === undefined)
      response.writeHead(200, { "content-type": "text/event-stream" }).end(`${messages.join("\n\n")}\n\n`);
    else response.writeHead(401).end();
  }).listen(0, "127.0.0.1");
  await once(stream, "listening");
  onTestFinished(() => void stream.close());
  const address = `http://127.0.0.1:${(stream.address() as AddressInfo).port}`; // it listens on TCP
  const environment = { ...place.environment, ROWMILL_URL: address };
  const ended = await typeCommand({ environment, directory: place.folder }, "listen", "--forward-to", url);
  expect(ended).toMatchObject({ code: 4 });
  expect(ended.stderr.match(/is not an event/g)).toHaveLength(2);
  expect(ended.stderr).toContain("Some events are no longer stored");
  expect(ended.stdout).toContain("run.finished  evt_1  →");
});

test("listen sends the last event again when r is pressed", async () => {
  const { place, rowmill } = await newUser();
  const { events, url } = await receiver(place);
  const listening = runInTerminal(
    place,
    ["listen", "--forward-to", url],
    [
      ["→ 200", "r"],
      ["again dataset.ready", "q"],
    ],
  );
  // Connected or not, the stream begins before the upload ends: it is followed until an event has come.
  const uploads = waitFor(async () => {
    await rowmill.datasets.upload({ name: "Rows", rows: [{ a: 1 }] });
    return events.length > 0;
  });
  const { code, screen } = await listening;
  await uploads;
  expect({ code, screen }).toMatchObject({ code: 0 });
  expect(new Set(events.map(({ id }) => id)).size).toBeLessThan(events.length);
});

test("trigger sends a signed sample to the receiver of the last listen, or to another", async () => {
  const { place } = await newUser();
  const { events, problems, url, response: respond } = await receiver(place);
  expect(await runCommand(place, "trigger", "run.finished")).toMatchObject({ code: 2 });
  for (const type of ["run.finished", "row.failed", "export.ready", "dataset.ready", "webhook_endpoint.disabled"])
    expect(await runCommand(place, "trigger", type, "--forward-to", url)).toMatchObject({ code: 0 });
  expect(events.map(({ type, test: isTest }) => [type, isTest])).toContainEqual(["row.failed", true]);
  const listening = startCommand(place, "listen", "--forward-to", url);
  await waitFor(() => listening.output().includes("Listening"));
  const last = await runCommand(place, "trigger", "run.paused", "--json");
  expect(JSON.parse(last.stdout)).toMatchObject({ eventType: "run.paused", status: 200, url });
  respond(500);
  expect((await runCommand(place, "trigger", "run.paused")).code).toBe(1);
  expect(problems).toEqual([]);
  expect(await runCommand(place, "trigger", "nothing")).toMatchObject({ code: 2 });
  const nowhere = await runCommand(place, "trigger", "run.paused", "--forward-to", "http://127.0.0.1:1/");
  expect(nowhere).toMatchObject({ code: 1 });
  expect(nowhere.stderr).toContain("gave no response");
});

test("webhooks test shows the attempt, and ends with 1 where the receiver did not accept it", async () => {
  let status = 204;
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end(status === 500 ? "no\n  table: hooks" : ""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { place } = await newUser();
  const type = (...args: string[]) => typeCommand({ environment: place.environment, directory: place.folder }, ...args);
  await type("webhooks", "new", `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`); // it listens on TCP
  expect(await type("webhooks", "test", "@last")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/whd_\w+ succeeded: 204/) as string,
  });
  status = 500;
  expect(await type("webhooks", "test", "@last")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /whd_\w+ failed: The receiver had an error \(500\)\..*\n {2}Its response: no table: hooks\n/,
    ) as string,
  });
  const [id = ""] = /whe_\w+/.exec((await type("webhooks")).stdout) ?? [];
  expect(await type("trigger", "run.failed", "--endpoint", id)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("(500). Its own log says more.\n  Its response: no table: hooks\n") as string,
  });
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  const nobody = await type("webhooks", "test", "@last", "--json");
  const unreachable = { status: "failed", attempts: [{ responseStatus: null }], response: null };
  expect(JSON.parse(nobody.stdout)).toMatchObject(unreachable);
  expect(await type("webhooks", "test", "whe_none")).toMatchObject({ code: 2 });
});
