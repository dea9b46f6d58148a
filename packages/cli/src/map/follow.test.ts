/** Who watches a run stays while the service is away: it starts again, or its database does. */
import { once } from "node:events";
import { createServer, request as sendOn } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, onTestFinished, test } from "vitest";
import { newPlace, runCommand } from "../testing/command-process.ts";

/** More than a request of the client is repeated. */
const REFUSED_LOOKS = 7;
/** The command reads the run that it has made; then it begins to follow it. */
const LOOKS_BEFORE = 1;
const A_RUN = /^\/v1\/runs\/run_\w+$/;

/** Passes everything on to the service, but responds for a while as a service does whose database is away, as soon as a run is followed. */
async function startUnreliable(target: string): Promise<{ url: string; refused: () => number }> {
  let looks = 0;
  let refused = 0;
  const server = createServer((request, response) => {
    const url = request.url ?? "/";
    if (request.method === "GET" && A_RUN.test(url.split("?", 1)[0] ?? "")) looks++;
    if (looks > LOOKS_BEFORE && refused < REFUSED_LOOKS) {
      refused++;
      const error = { code: "service_unavailable", message: "The database cannot be reached at the moment." };
      response
        .writeHead(503, { "retry-after": "0", "content-type": "application/json" })
        .end(JSON.stringify({ error }));
      return;
    }
    const { method, headers } = request;
    const passed = sendOn(target + url, { method, headers: { ...headers, host: new URL(target).host } }, (received) => {
      response.writeHead(received.statusCode ?? 500, received.headers);
      received.pipe(response);
    });
    request.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, refused: () => refused };
}

test("a map goes on to follow its run when the service is away for longer than one request is repeated", async () => {
  const service = await startTestService();
  const { url, refused } = await startUnreliable(service.url);
  const { apiKey } = await service.newOrganization();
  const place = newPlace({ ROWMILL_API_KEY: apiKey });
  writeFileSync(join(place.folder, "in.csv"), "id\n1\n2\n");
  const said = await runCommand(place, "map", "in.csv", "--mock", "-y", "--url", url, "-o", "out.csv");
  expect(said.code).toBe(0);
  expect(said.stdout).toContain("2 of 2 rows succeeded");
  expect(refused()).toBe(REFUSED_LOOKS);
});
