import { expect, test } from "vitest";
import { newSigningSecret } from "../resources/webhook-endpoints/signing.ts";
import { newAdminKey, newApiKey, newInvitationToken, newLoginToken, newSessionToken } from "./auth/keys.ts";
import { createLog } from "./log.ts";
import { tokenPrefixes } from "./tokens.ts";

/** One of each kind that is in the list, by its own maker: a new kind does not compile without one. */
const makers: Record<keyof typeof tokenPrefixes, () => string> = {
  apiKey: newApiKey,
  adminKey: newAdminKey,
  invitation: newInvitationToken,
  loginLink: newLoginToken,
  session: newSessionToken,
  signingSecret: newSigningSecret,
};

const logged = (...entry: [object, string]): string => {
  const lines: string[] = [];
  createLog("info", (line) => lines.push(line)).info(...entry);
  return lines.join("");
};

test.each(Object.entries(makers))("a token of the kind %s is not logged, wherever it stands", (kind, make) => {
  const token = make();
  const prefix = tokenPrefixes[kind as keyof typeof tokenPrefixes]; // its own members
  expect(token.startsWith(prefix)).toBe(true);
  const line = logged(
    {
      err: new Error(`${token} was refused`),
      body: JSON.stringify({ token }),
      url: `https://example.com/#token=${token}`,
    },
    `of ${token}`,
  );
  expect(line).not.toContain(token.slice(prefix.length, -4));
  expect(line.split(`${prefix}[secret]`).length).toBeGreaterThan(4);
});

test("an error of a lost connection is logged without the client that had it", () => {
  const lost = Object.assign(new Error("terminating connection"), { code: "57P01", client: { user: "postgres" } });
  const { err } = JSON.parse(logged({ err: lost }, "a database connection was lost")) as { err: object };
  expect(err).toMatchObject({ type: "Error", message: "terminating connection", code: "57P01" });
  expect(err).not.toHaveProperty("client");
});

test.each([
  ["https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnop", "abcdefgh"],
  ["https://bucket.s3.amazonaws.com/rows.csv?X-Amz-Date=1&X-Amz-Signature=0123456789abcdef&x=1", "0123456789"],
  ["https://account.blob.core.windows.net/c/rows.csv?sv=1&sig=abc%2Bdef%3D", "abc%2Bdef"],
  ["postgresql://rowmill:correct-horse@db.example.com/rowmill", "correct-horse"],
  ["Authorization: Bearer sk-0123456789abcdef", "0123456789"],
])("%s is logged without its secret", (text, secret) => {
  const line = logged({ text, err: new Error(text) }, text);
  expect(line).toContain("[secret]");
  expect(line).not.toContain(secret);
});
