/** A service that stops while a job spec is tried. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Operations } from "@rowmill/contract";
import type { Static } from "typebox";
import type { Api } from "../../testing/api.ts";
import { newJobSpec, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

type Tried = Static<Operations["testJobSpec"]["response"]["schema"]>;

const http = await startHttpService();

/** Asks for `/<n>` of each row. */
async function tryRows(of: Api, rows: object[]) {
  const spec = await newJobSpec(of, { type: "http", method: "GET", url: `${http.origin}/{{row.n}}` });
  return of<Tried>("POST", `/v1/job-specs/${spec.id}/test`, { body: { rows } });
}

test("a service that stops gives the rows in flight up, and returns what is finished", async () => {
  const stopping = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  const { api: of } = await stopping.newOrganization();
  http.respond(({ path }, response) => void (path === "/1" || response.end("0")));
  const tried = tryRows(of, numberedRows(2));
  await waitFor(() => http.requests.length === 2, { what: "both rows are called for" });
  // The service takes a later response, and so it has taken that of the first row.
  expect((await tryRows(of, [{ n: 2 }])).body.outputs).toHaveLength(1);
  const stopped = stopping.stop();
  const { body } = await tried;
  expect(body.outputs).toMatchObject([{ index: 0, data: 0 }]);
  expect(body.failures).toMatchObject([{ index: 1, code: "worker_lost" }]);
  await stopped;
});

test("a service that stops waits a moment for the rows in flight", async () => {
  const stopping = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  const { api: of } = await stopping.newOrganization();
  const called = Promise.withResolvers<ServerResponse>();
  http.respond((_request, response) => called.resolve(response));
  const tried = tryRows(of, [{ n: 1 }]);
  const response = await called.promise;
  const stopped = stopping.stop();
  // It takes no further connection once it stops.
  await waitFor(
    () =>
      fetch(`${stopping.url}/healthz`).then(
        () => false,
        () => true,
      ),
    { what: "the service stops" },
  );
  response.end("1");
  expect((await tried).body).toMatchObject({ outputs: [{ data: 1 }], failures: [] });
  await stopped;
});

test("a test of which no row has ended when the service stops is refused, so that another process may take it", async () => {
  const stopping = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
  const { api: of } = await stopping.newOrganization();
  http.respond(() => undefined);
  http.requests.splice(0);
  const tried = tryRows(of, numberedRows(2));
  await waitFor(() => http.requests.length === 2, { what: "both rows are called for" });
  const stopped = stopping.stop();
  const { status, body, headers } = await tried;
  expect([status, headers["retry-after"]]).toEqual([503, "2"]);
  expect(body).toMatchObject({ error: { code: "service_unavailable", retryable: true } });
  await stopped;
});
