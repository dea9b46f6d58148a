import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { COMPILER_FLAGS } from "./engine-compilation.ts";

test("V8 knows each flag that the engine is compiled with", () => {
  // A flag that is unknown would be passed over without a word.
  const help = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  for (const flag of COMPILER_FLAGS) expect(help).toContain(`  ${flag.split("=")[0]} (`);
});
