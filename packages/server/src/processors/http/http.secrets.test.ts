/** A service that repeats the secret of its connection: no result and no failure shows it. */
import { describe, expect, test } from "vitest";
import { connection, containing, failureOf, outputOf, rig, startRawServer } from "./http-testing.ts";

describe("the secret, which a service repeats,", () => {
  const withSecret = async (secret: string, status: string, body: string, contentType = "application/json") => {
    const origin = await startRawServer((socket) =>
      socket.end(
        `HTTP/1.1 ${status}\r\nx-request-id: ${secret}\r\ncontent-type: ${contentType}\r\nconnection: close\r\n\r\n${body}`,
      ),
    );
    const { call } = await rig(
      { url: "/", connection: "conn_1", headers: { authorization: "Bearer {{connection.secret}}" } },
      { allowed: [origin], connection: connection(origin, { secret }) },
    );
    return call({});
  };

  test("is not in the failure of a response that is no JSON, in whole or in part", async () => {
    const outcome = await withSecret("tok-12345678", "200 OK", "tok-12345678 <html>");
    expect(failureOf(outcome)).toEqual({
      code: "output_not_json",
      message: "The response is not JSON.",
      details: { status: 200, answer: "[secret] <html>" },
    });
    expect(JSON.stringify(outcome)).not.toContain("tok-");
  });

  test("leaves JSON behind, also where it was in the digits of a number or in a name", async () => {
    const outcome = await withSecret("1234567890", "200 OK", '{"n":1234567890,"m":91234567890.50,"1234567890":[1.10]}');
    expect(outputOf(outcome)).toEqual({ n: "[secret]", m: "9[secret].50", "[secret]": [1.1] });
    expect(outcome.ok && outcome.output).toContain("[1.10]");
  });

  test("is found with its slashes escaped, as PHP writes JSON", async () => {
    const outcome = await withSecret("abc/def/ghi=", "200 OK", String.raw`{"you":"Bearer abc\/def\/ghi="}`);
    expect(outputOf(outcome)).toEqual({ you: "Bearer [secret]" });
  });
});

describe("the secret, in a response that hides it,", () => {
  const SECRET = "tok+abcdefghijklmnopqrstuvwxyz01";
  const responded = async (status: string, body: string | Buffer, contentType = "text/plain") => {
    const origin = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\ncontent-type: ${contentType}\r\nconnection: close\r\n\r\n`);
      socket.end(body);
    });
    const { call } = await rig(
      { url: "/", connection: "conn_1", headers: { authorization: "Bearer {{connection.secret}}" } },
      { allowed: [origin], connection: connection(origin, { secret: SECRET }) },
    );
    return call({});
  };

  test.each([0, 1, 4, 20, 31])(
    "is not left in part where the excerpt or the reading ends behind %i of its characters",
    async (kept) => {
      for (const cut of [500, 64 * 1024]) {
        const outcome = await responded("400 Bad Request", "-".repeat(cut - kept) + SECRET);
        expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 4));
      }
      const outcome = await responded("400 Bad Request", `${"\u00e4".repeat(7)}{"you":"${SECRET.slice(0, kept)}`);
      expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 4));
    },
  );

  test("is found in escapes of JSON, whoever wrote them", async () => {
    const escaped = String.raw`{"you":"Bearer tok\u002Babcdefghijklmnopqrstuvwxyz01"}`;
    expect(outputOf(await responded("200 OK", escaped, "application/json"))).toEqual({ you: "Bearer [secret]" });
    expect(failureOf(await responded("400 Bad Request", escaped)).details).toMatchObject({
      answer: '{"you":"Bearer [secret]"}',
    });
  });

  test.each(["utf-16le", "utf-16", "iso-2022-jp"])("is not read in %s, which says ASCII otherwise", async (charset) => {
    const said = Buffer.from(`you sent ${SECRET}`, "utf16le");
    const type = `text/plain; charset=${charset}`;
    expect(failureOf(await responded("200 OK", said, type))).toMatchObject({
      code: "output_not_json",
      message: containing("charset that contains ASCII"),
    });
    expect(failureOf(await responded("400 Bad Request", said, type)).details).toEqual({ status: 400 });
  });

  test("is found in UTF-16 that calls itself UTF-8", async () => {
    const outcome = await responded("200 OK", Buffer.from(`you sent ${SECRET}`, "utf16le"), "text/plain");
    expect(JSON.stringify(outcome).replaceAll(String.raw`\u0000`, "")).not.toContain("abcdef");
  });
});

test("a part of the secret cannot be asked for, which nobody could take out of a response", async () => {
  const { problems } = await rig(
    { url: "/", connection: "conn_1", headers: { "x-key": "{{connection.secret | truncate: 10}}" } },
    { connection: connection("https://api.example.com") },
  );
  expect(await problems()).toEqual([{ path: "/headers/x-key", message: containing("takes no filters") }]);
});
