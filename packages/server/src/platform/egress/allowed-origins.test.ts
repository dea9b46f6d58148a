import { describe, expect, test } from "vitest";
import { checkConnectionUrl, parseAllowedOrigins } from "./allowed-origins.ts";

describe("origins that the operator allows", () => {
  test("are kept as a URL has them", () => {
    const entries = ["http://127.0.0.1:11434", "HTTP://Models.Internal:80/", "https://[::1]:8443", "https://10.1:443"];
    expect([...parseAllowedOrigins(entries)]).toEqual([
      "http://127.0.0.1:11434",
      "http://models.internal",
      "https://[::1]:8443",
      "https://10.0.0.1",
    ]);
    expect(parseAllowedOrigins([]).size).toBe(0);
  });

  test.each([
    "127.0.0.1:11434",
    "ftp://127.0.0.1",
    "http://",
    "http:///x",
    "http://127.0.0.1:11434/v1",
    "http://127.0.0.1?x",
    "http://127.0.0.1#x",
    "http://user:password@127.0.0.1",
    "http://*.internal",
    "*",
    "http://127.0.0.1:99999",
    "http://[::1",
    "http://a\\b",
  ])("%s is refused by name", (entry) => {
    expect(() => parseAllowedOrigins(["http://127.0.0.1:1", entry])).toThrow(`${JSON.stringify(entry)} is not one.`);
  });
});

describe("the URL of a connection", () => {
  const allowed = parseAllowedOrigins(["http://127.0.0.1:11434", "https://models.internal:8443", "http://gpu"]);
  const check = (url: unknown) => checkConnectionUrl(url, allowed);

  test.each([
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"],
    ["HTTP://2130706433:11434/v1", "http://127.0.0.1:11434/v1"],
    ["https://models.internal:8443", "https://models.internal:8443/"],
    ["http://gpu:80/x", "http://gpu/x"],
  ])("%s is taken", (url, href) => {
    expect(check(url)).toEqual({ accepted: true, href });
  });

  test.each([
    ["https://127.0.0.1:11434/v1", "port"],
    ["http://127.0.0.1:11435/v1", "scheme"],
    ["http://127.0.0.1/v1", "scheme"],
    ["http://127.0.0.1:11434.example.com/", "scheme"],
    ["http://127.0.0.1:11434@example.com/", "scheme"],
    ["http://localhost:11434/", "scheme"],
    ["http://models.internal:8443/", "scheme"],
    ["https://models.internal/", "local_name"],
    ["https://sub.models.internal:8443/", "port"],
    ["https://gpu/", "local_name"],
    ["https://169.254.169.254/", "address"],
    ["file://127.0.0.1:11434/", "scheme"],
  ])("%s is refused, and who can admit it is said", (url, reason) => {
    expect(check(url)).toMatchObject({
      accepted: false,
      reason,
      message: expect.stringMatching(
        /operator .* can allow .*ROWMILL_CONNECTION_ALLOWED_ORIGINS=https?:\/\/[^/ ]+\.( A service|$)/,
      ) as string,
    });
  });

  test("a refused address of the machine itself names the mode that allows it, another one does not", () => {
    const named = (url: string): boolean => {
      const checked = check(url);
      return (
        !checked.accepted &&
        checked.message.endsWith("ROWMILL_MODE=development allows all models and services of its own machine.")
      );
    };
    expect(["http://127.0.0.1:11435/v1", "http://localhost:1/", "http://[::1]:9/"].filter(named)).toHaveLength(3);
    expect(["http://10.0.0.5:11434/", "https://gpu/", "file://127.0.0.1:11434/"].filter(named)).toEqual([]);
  });

  test.each([
    ["http://user@127.0.0.1:11434/", "credentials"],
    ["http://@127.0.0.1:11434/", "credentials"],
    ["http://127.0.0.1:11434/#x", "fragment"],
    ["http://127.0.0.1:11434\\@example.com/", "character"],
    ["http://127.0.0.1:11434/a b", "character"],
    [`http://127.0.0.1:11434/${"a".repeat(2048)}`, "length"],
    [5, "length"],
  ])("%s is refused, though its origin is allowed", (url, reason) => {
    expect(check(url)).toMatchObject({
      accepted: false,
      reason,
      message: expect.not.stringContaining("operator") as string,
    });
  });
});
