/** Every number that the interface takes, with values that no column and no double holds. */
import { beforeAll, expect, test } from "vitest";
import { components } from "@rowmill/contract/schemas";
import type { Api } from "@rowmill/server/testing/api";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { numberPlaces } from "./support/bodies.ts";
import type { NumberPlace } from "./support/bodies.ts";
import { Surprises, expectNone } from "./support/collect.ts";
import { bodiesOf, entries, pathOf } from "./support/operations.ts";
import type { Entry } from "./support/operations.ts";

/** As they are written in JSON. The first two are infinite once they are parsed. */
const NUMBERS = ["1e309", "-1e309", "2147483648", "9007199254740992", "9223372036854775808", "-1", "0.5"];
const PLACEHOLDER = "the number";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_SMTP_URL: "smtp://127.0.0.1:1" });
  tenant = await service.newOrganization();
});

const apiFor = ({ o }: Entry): Api => (o.access.by === "admin" ? service.api : tenant.api);
const path = ({ o }: Entry): string => pathOf(o, { organizationId: tenant.organizationId });
/** JSON text with a number that JavaScript could not write. */
const textWith = (place: NumberPlace, number: string): string =>
  JSON.stringify(place.bodyWith(PLACEHOLDER)).replace(`"${PLACEHOLDER}"`, number);

const isAllowed = ({ isInteger, minimum = -Infinity, maximum = Infinity }: NumberPlace, text: string): boolean => {
  const number = Number(text);
  return Number.isFinite(number) && number >= minimum && number <= maximum && (!isInteger || Number.isInteger(number));
};

const withNumbers = entries
  .map((entry) => ({ ...entry, places: entry.o.body === undefined ? [] : numberPlaces(entry.o.body) }))
  .filter(({ places }) => places.length > 0);

test.each(withNumbers)("$id names the number that is out of range, and the range", async ({ places, ...entry }) => {
  const surprises = new Surprises();
  for (const place of places)
    for (const number of NUMBERS) {
      const title = `${place.at} = ${number}`;
      await surprises.collect(title, async () => {
        const { status, body, text } = await apiFor(entry)(entry.o.method, path(entry), {
          body: textWith(place, number),
        });
        // What fits the schema may be refused for another reason; a 500 is thrown by `api`.
        if (isAllowed(place, number)) return;
        const detail = status === 400 ? body.error.details[0] : undefined;
        const range = `from ${place.minimum} to ${place.maximum}`;
        if (body.error.code !== "invalid_request" || detail?.path !== place.at || !detail.message.includes(range))
          surprises.add(title, text);
      });
    }
  expectNone(surprises);
});

const withBody = entries.filter(({ o }) => o.body !== undefined);
test.each(withBody)("$id refuses an infinite number where it knows no number", async (entry) => {
  const right = JSON.stringify(bodiesOf(entry)[0]);
  const body = right === "{}" ? '{"frobnicate":1e309}' : `${right.slice(0, -1)},"frobnicate":1e309}`;
  expect((await apiFor(entry)(entry.o.method, path(entry), { body })).body.error.code).toBe("unknown_field");
});

test("an infinite number within a row is refused by its place, and one of many digits is not", async () => {
  // The walk has set limits of the other organization.
  const own = await service.newOrganization();
  const create = (row: string) =>
    own.api("POST", "/v1/dataset-uploads", {
      body: `{"name":"Rows","source":{"type":"inline","rows":[{"a":1},${row}]}}`,
    });
  for (const number of ["1e309", "-1E+0400", "9".repeat(400), `${"9".repeat(250)}e99`]) {
    const { status, body } = await create(`{"b":[0,${number}]}`);
    expect([status, body.error?.code, body.error?.param]).toEqual([400, "invalid_request", "source.rows.1.b.1"]);
    expect(body.error.message).toContain("1.7976931348623157e+308");
  }
  expect((await create('{"b":123456789012345678901234567890,"c":1e308,"d":1e-400}')).status).toBe(201);
});

test("an integer that would become another one is refused by its place, and nothing is made of it", async () => {
  const body = (account: string): string =>
    `{"name":"Accounts","processor":{"type":"http","method":"POST","url":"https://example.com","body":{"account":${account}}}}`;
  const refused = await tenant.api("POST", "/v1/job-specs", { body: body("12345678901234567890") });
  expect([refused.status, refused.body.error?.code]).toEqual([400, "invalid_request"]);
  expect(refused.body.error).toMatchObject({ param: "processor.body.account" });
  expect(refused.body.error.message).toContain("Send it as text");
  const asText = await tenant.api("POST", "/v1/job-specs", { body: body('"12345678901234567890"') });
  expect(asText.status).toBe(201);
});

test("the schemas of a job spec keep every digit of their integers, and rows are checked by them", async () => {
  const own = await service.newOrganization();
  const bounds = '{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}';
  const schema = `{"type":"object","properties":{"id":${bounds},"kind":{"enum":[9007199254740993]}}}`;
  const definition = (constant: string): string =>
    `"processor":{"type":"mock"},"inputSchema":${schema},"outputSchema":{"properties":{"echo":{"properties":{"id":{"not":{"const":${constant}}}}}}}`;
  const created = await own.api("POST", "/v1/job-specs", {
    body: `{"name":"Ids",${definition("9007199254740993")}}`,
  });
  expect([created.status, created.text]).toEqual([201, expect.stringContaining(schema)]);
  const at = `/v1/job-specs/${created.body.id}`;
  const added = await own.api("POST", `${at}/versions`, { body: `{${definition("9007199254740995")}}` });
  expect([added.status, added.text]).toEqual([201, expect.stringContaining("9007199254740995")]);
  for (const path of [at, `${at}/versions/1`, `${at}/versions`, "/v1/job-specs"])
    expect((await own.api("GET", path)).text).toContain(`"inputSchema":${schema}`);

  const ids = [
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "9007199254740993",
    "9007199254740995",
  ];
  const rows = [...ids.map((id) => `{"id":${id}}`), '{"kind":9007199254740993}', '{"kind":9007199254740992}'].join(",");
  const tried = await own.api("POST", `${at}/test`, { body: `{"rows":[${rows}]}` });
  const { failures } = tried.body as unknown as { failures: { index: number; code: string }[] }; // by the contract
  expect(failures.map(({ index, code }) => `${index} ${code}`)).toEqual([
    "1 input_schema_invalid",
    "2 input_schema_invalid",
    "4 output_schema_invalid",
    "6 input_schema_invalid",
  ]);
});

test("every number in a query names its range", async () => {
  const surprises = new Surprises();
  for (const entry of entries) {
    const own = Object.entries((entry.o.query?.properties ?? {}) as Record<string, { type?: string }>)
      .filter(([, { type }]) => type === "integer" || type === "number")
      .map(([name]) => name);
    for (const name of [...own, ...(entry.o.filters ? ["limit"] : [])])
      for (const number of NUMBERS)
        await surprises.collect(`${entry.id}?${name}=${number}`, async () => {
          const at = `${path(entry)}?${name}=${encodeURIComponent(number)}`;
          const { status, body, text } = await apiFor(entry)(entry.o.method, at);
          if (status !== 400 || body.error.param !== name || !/from \d+ to \d+/.test(body.error.message))
            surprises.add(`${entry.id}?${name}=${number}`, text);
        });
  }
  expectNone(surprises);
});

test("a number in a path that is none of a version is not found", async () => {
  const spec = await tenant.api("POST", "/v1/job-specs", { body: { name: "Echo", processor: { type: "mock" } } });
  for (const number of NUMBERS) {
    const { status } = await tenant.api("GET", `/v1/job-specs/${spec.body.id}/versions/${number}`);
    expect([number, status]).toEqual([number, 404]);
  }
});

test("a number in a header names the header", async () => {
  const own = await service.newOrganization();
  const upload = await own.api("POST", "/v1/dataset-uploads", {
    body: { name: "Rows", source: { type: "upload" } },
  });
  const resumable = `/v1/dataset-uploads/${upload.body.id}/content/resumable`;
  for (const number of NUMBERS.filter((text) => text !== "2147483648")) {
    const begun = await own.api("POST", resumable, {
      headers: { "Tus-Resumable": "1.0.0", "Upload-Length": number },
    });
    expect([number, begun.status, begun.body.error?.param]).toEqual([number, 400, "Upload-Length"]);
    expect(begun.body.error.message).toContain("from 0 to 9007199254740991");
    const appended = await own.api("PATCH", resumable, {
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": number,
        "Content-Type": "application/offset+octet-stream",
      },
      body: "x",
    });
    expect([number, appended.status, appended.body.error?.param]).toEqual([number, 400, "Upload-Offset"]);
  }
});

test("a time that no clock shows is refused", async () => {
  for (const deadlineAt of ["2126-12-31T23:59:60Z", "2126-02-30T00:00:00Z", "2126-01-01T00:00:00+24:00"]) {
    const { status, body } = await tenant.api("POST", "/v1/runs", {
      body: { datasetId: "ds_x", jobSpecId: "spec_x", scope: { type: "all" }, deadlineAt },
    });
    expect([deadlineAt, status, body.error.param]).toEqual([deadlineAt, 400, "deadlineAt"]);
  }
});

test("every integer of the contract has both bounds, and so has every number of a request", () => {
  const unbounded: string[] = [];
  const walk = (schema: unknown, at: string, isRequest: boolean): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { type, minimum, maximum } = schema as { type?: unknown; minimum?: unknown; maximum?: unknown }; // of whatever kind
    const types = [type].flat();
    if (types.includes("integer") || (isRequest && types.includes("number")))
      if (minimum === undefined || maximum === undefined) unbounded.push(at);
    for (const [name, member] of Object.entries(schema))
      if (!["examples", "default", "const", "enum"].includes(name)) walk(member, `${at}/${name}`, isRequest);
  };
  for (const { id, o } of entries) {
    walk(o.body, `${id}: body`, true);
    walk(o.query, `${id}: query`, true);
    walk(o.response.schema, `${id}: answer`, false);
    walk(o.alternative?.schema, `${id}: alternative`, false);
  }
  // Which of them are parts of requests is seen in the operations' bodies by the tests above.
  for (const [name, schema] of components) walk(schema, name, false);
  expect(unbounded).toEqual([]);
});
