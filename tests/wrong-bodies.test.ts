/** Every operation with a body, with every body that is wrong in one place. */
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestService, TestOrganization } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import type { Api } from "@rowmill/server/testing/api";
import { wrongBodies } from "./support/bodies.ts";
import type { BodySchema } from "./support/bodies.ts";
import { Surprises, expectNone } from "./support/collect.ts";
import { bodiesOf, entries, pathOf } from "./support/operations.ts";
import type { Entry } from "./support/operations.ts";

const MIB = 1024 * 1024;
const DEEPEST = 64;

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  // A mail server that takes nothing: without one, e-mail is no destination.
  service = await startTestService({ ROWMILL_SMTP_URL: "smtp://127.0.0.1:1" });
  tenant = await service.newOrganization();
});

const apiFor = ({ o }: Entry): Api => (o.access.by === "admin" ? service.api : tenant.api);
const path = ({ o }: Entry): string => pathOf(o, { organizationId: tenant.organizationId });

const withBody = entries.filter(({ o }) => o.body !== undefined);
const taking = (o: Entry["o"]): BodySchema => o.body!;

describe.each(withBody)("$id", (entry) => {
  const send = (body: string | Buffer | undefined, headers: Record<string, string> = {}) =>
    apiFor(entry)(entry.o.method, path(entry), { body, headers });
  const body = taking(entry.o);

  test("takes a right body of every variant", async () => {
    const surprises = new Surprises();
    for (const right of bodiesOf(entry).map((value) => JSON.stringify(value)))
      await surprises.collect(right, async () => {
        const response = await send(right);
        if ([400, 413, 415].includes(response.status)) surprises.add(right, response.text);
      });
    expectNone(surprises);
  });

  test("names the member that is wrong", async () => {
    const surprises = new Surprises();
    const wrong = wrongBodies(body);
    for (const { title, body: value, code, at } of wrong)
      await surprises.collect(title, async () => {
        const response = await send(JSON.stringify(value));
        // Taken or refused, as long as it is not a 500.
        if (code === "any") return;
        const error = response.status === 400 ? response.body.error : undefined;
        if (error?.code !== code || error.details[0]?.path !== at) surprises.add(title, response.text);
      });
    expectNone(surprises);
    expect(wrong.length).toBeGreaterThan(5);
  });

  test("refuses what is not JSON that can be kept", async () => {
    const right = JSON.stringify(bodiesOf(entry)[0]);
    const inside = (member: string): string => (right === "{}" ? `{${member}}` : `${right.slice(0, -1)},${member}}`);
    const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const texts: Record<string, string | Buffer> = {
      "half an object": right.slice(0, -1),
      "two objects": `${right}${right}`,
      "a comma too many": `${right.slice(0, -1)},}`,
      "single quotes": "{'name': 'x'}",
      "a comment": `/* hello */ ${right}`,
      "not a number": inside('"count":NaN'),
      "plain text": "name=x",
      "a form": "name=x&scope=all",
      "a space": " ",
      "no UTF-8": Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      "UTF-16": Buffer.from(right, "utf16le"),
      "compressed bytes": gzipSync(right),
      "U+0000 in a value": inside(String.raw`"name":"a\u0000b"`),
      "U+0000 in a name": inside(String.raw`"a\u0000b":1`),
      "a first half of a pair": inside(String.raw`"name":"\ud83d"`),
      "a second half of a pair": inside(String.raw`"name":"\uDE00"`),
      "halves in the wrong order": inside(String.raw`"name":"\ude00\ud83d"`),
      "half a pair in a name": inside(String.raw`"\ud83d":1`),
      __proto__: inside('"__proto__":{"name":"x"}'),
      "__proto__ in disguise": inside(String.raw`"\u005f_proto_\u005F":{"name":"x"}`),
      "__proto__ further down": inside('"metadata":{"__proto__":{"a":"b"}}'),
      "one level too deep": inside(`"name":${nested(DEEPEST)}`),
      "hundred thousand levels": nested(100_000),
    };
    const surprises = new Surprises();
    for (const [title, text] of Object.entries(texts))
      await surprises.collect(title, async () => {
        const response = await send(text);
        if (response.status !== 400 || response.body.error.code !== "invalid_json") surprises.add(title, response.text);
      });
    expectNone(surprises);
    // Deep as it is, this much can be looked at.
    expect((await send(inside(`"frobnicate":${nested(DEEPEST - 1)}`))).body.error.code).toBe("unknown_field");
  });

  test("refuses a body that is no object", async () => {
    for (const text of ["[]", '"text"', "7", "true", "null", "[{}]"]) {
      const response = await send(text);
      expect([text, response.status, response.body.error?.code]).toEqual([text, 400, "invalid_request"]);
    }
  });

  test(entry.o.bodyOptional ? "takes an empty body" : "asks for a body", async () => {
    for (const body of [undefined, ""]) {
      const response = await send(body);
      expect(response.status === 400 ? response.body.error.code : "taken").toBe(
        entry.o.bodyOptional ? "taken" : "invalid_request",
      );
    }
  });

  test("refuses other content types and encodings", async () => {
    const right = JSON.stringify(bodiesOf(entry)[0]);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/json",
      "nonsense",
      "",
    ]) {
      const response = await send(right, { "Content-Type": type });
      expect([type, response.status, response.body.error.code]).toEqual([type, 415, "unsupported_media_type"]);
    }
    for (const encoding of ["gzip", "br", "zstd", "identity"]) {
      const response = await send(gzipSync(right), { "Content-Encoding": encoding });
      expect([encoding, response.status, response.body.error.code]).toEqual([encoding, 415, "unsupported_media_type"]);
    }
    for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.acme+json"]) {
      const response = await send(right, { "Content-Type": type });
      expect([type, response.status]).not.toEqual([type, 415]);
    }
  });

  test("refuses a body over its limit, and a text that fills it", async () => {
    const limit = entry.o.bodyLimitBytes ?? MIB;
    const over = await send(`{"name":"${"x".repeat(limit)}"}`);
    expect([over.status, over.body.error.code]).toEqual([413, "payload_too_large"]);
    const chunked = await send(`{"name":"${"x".repeat(limit)}"}`, { "Transfer-Encoding": "chunked" });
    expect([chunked.status, chunked.body.error.code]).toEqual([413, "payload_too_large"]);
    const right = JSON.stringify({ ...bodiesOf(entry)[0], frobnicate: "" });
    const full = await send(right.replace(/""}$/, `"${"x".repeat(limit - right.length)}"}`));
    expect([full.status, full.body.error.code]).toEqual([400, "unknown_field"]);
  });
});

const withoutBody = entries.filter(({ o }) => o.body === undefined && o.method !== "GET" && o.plain !== true);
test.each(withoutBody)("$id takes no body", async (entry) => {
  const send = (body: string, headers = {}) => apiFor(entry)(entry.o.method, path(entry), { body, headers });
  expect((await send("{")).body.error.code).toBe("invalid_json");
  expect((await send('{"name":"x"}')).body.error.code).toBe("invalid_request");
  expect((await send("x", { "Content-Type": "text/plain" })).body.error.code).toBe("unsupported_media_type");
  expect((await send(`"${"x".repeat(MIB)}"`)).body.error.code).toBe("payload_too_large");
});
