import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readConfig } from "@rowmill/server/config";
import { expect, test } from "vitest";
import { withoutRowmillSettings } from "./server-program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("`rowmill server` accepts an environment with each variable that the command reads", () => {
  const names = globSync(["src/**/*.ts", "bin/*.cjs"], {
    cwd: root,
    exclude: ["**/*.test.ts", "**/testing/**"],
  }).flatMap((file) => readFileSync(`${root}${file}`, "utf8").match(/(?<=[".])ROWMILL_[A-Z_]*[A-Z]\b/g) ?? []);
  expect(names).toContain("ROWMILL_NODE");
  const environment = Object.fromEntries(names.map((name) => [name, ""]));
  expect(() => readConfig(environment)).not.toThrow();
});

test("the command's own service gets what concerns Node and the system, and no setting of another service", () => {
  const kept = { NODE_OPTIONS: "--use-system-ca", NODE_EXTRA_CA_CERTS: "ca.pem", HTTPS_PROXY: "http://proxy" };
  expect(withoutRowmillSettings({ ...kept, ROWMILL_PORT: "1", ROWMILL_API_KEY: "x" })).toEqual(kept);
});
