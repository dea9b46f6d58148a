import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Rowmill } from "./index.ts";
import { findCredentials, formatProfiles, readProfiles } from "./profiles.ts";

let home: string;
let project: string;
const config = (text: string): void => {
  mkdirSync(join(home, "rowmill"), { recursive: true });
  writeFileSync(join(home, "rowmill", "config.toml"), text);
};
const find = (given: Partial<Parameters<typeof findCredentials>[0]> = {}) =>
  findCredentials({ directory: project, ...given, environment: { XDG_CONFIG_HOME: home, ...given.environment } });

const WORK = `profile = "work" # the default

[profiles.work]
url = "https://work.example.com"
apiKey = "rmk_work"

[profiles."two words"]
url = 'https://two.example.com'
apiKey = "rmk_two"
`;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rowmill-config-"));
  project = mkdtempSync(join(tmpdir(), "rowmill-project-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of [home, project]) rmSync(folder, { recursive: true, force: true });
});

test("a client without a key or an address says both at once, and where they may come from", () => {
  vi.stubEnv("XDG_CONFIG_HOME", home);
  vi.stubEnv("ROWMILL_API_KEY", "");
  vi.stubEnv("ROWMILL_URL", "");
  expect(() => new Rowmill()).toThrow(/needs `apiKey` and `baseUrl`.*ROWMILL_API_KEY and ROWMILL_URL/);
  expect(() => new Rowmill({ baseUrl: "http://localhost:8080" })).toThrow(/needs `apiKey`:/);
  expect(() => new Rowmill({ apiKey: "undefined", baseUrl: "http://localhost:8080" })).toThrow(/needs `apiKey`:/);
});

test("a client takes key and address from the environment, and else from the profile", async () => {
  vi.stubEnv("XDG_CONFIG_HOME", home);
  vi.stubEnv("ROWMILL_API_KEY", "rmk_environment");
  vi.stubEnv("ROWMILL_URL", "https://environment.example.com");
  const seen: string[] = [];
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    seen.push(`${url} ${new Headers(init.headers).get("authorization")}`);
    return Promise.resolve(Response.json({}));
  };
  await new Rowmill({ fetch }).me();
  vi.stubEnv("ROWMILL_API_KEY", "");
  vi.stubEnv("ROWMILL_URL", "");
  config(WORK);
  await new Rowmill({ fetch }).me();
  expect(seen).toEqual([
    "https://environment.example.com/v1/me Bearer rmk_environment",
    "https://work.example.com/v1/me Bearer rmk_work",
  ]);
});

test("flags win over the environment, that over the directory, and that over the user's default", () => {
  config(WORK);
  expect(find().apiKey).toBe("rmk_work");
  writeFileSync(join(project, ".rowmill.toml"), 'profile = "two words"\n');
  expect(find()).toEqual({ url: "https://two.example.com", apiKey: "rmk_two", profile: "two words" });
  expect(find({ environment: { ROWMILL_PROFILE: "work" } }).apiKey).toBe("rmk_work");
  expect(find({ environment: { ROWMILL_PROFILE: "work" }, profile: "two words" }).apiKey).toBe("rmk_two");
  const other = { ROWMILL_API_KEY: "rmk_other", ROWMILL_URL: "https://other.example.com" };
  expect(find({ environment: { ...other, ROWMILL_PROFILE: "work" } })).toMatchObject({
    url: "https://other.example.com",
    apiKey: "rmk_other",
  });
  expect(find({ environment: other, profile: "work" })).toEqual({
    url: "https://work.example.com",
    apiKey: "rmk_work",
    profile: "work",
  });
});

test("a profile's key never goes to another address", () => {
  config(WORK);
  expect(find({ url: "https://elsewhere.example.com" }).apiKey).toBeUndefined();
  expect(find({ url: "https://work.example.com/" }).apiKey).toBe("rmk_work");
});

test("what is wrong in a file is named by its line and never quoted", () => {
  config("[profiles.work]\napiKey = rmk_unquoted\n");
  expect(() => find()).toThrow(/config\.toml, line 2, is not/);
  expect(() => find()).not.toThrow(/rmk_unquoted/);
  config(WORK);
  expect(() => find({ profile: "home" })).toThrow(/no profile "home"; it has work, two words/);
  writeFileSync(join(project, ".rowmill.toml"), 'apiKey = "rmk_committed"\n');
  expect(() => find()).toThrow(/may contain `profile = "name"` and nothing else/);
});

test("profiles are written as they are read", () => {
  config(WORK);
  const file = join(home, "rowmill", "config.toml");
  const profiles = readProfiles(file);
  writeFileSync(file, formatProfiles(profiles));
  expect(readProfiles(file)).toEqual(profiles);
});
