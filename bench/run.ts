/**
 * `npm run bench`: the table of `docs/performance.md` (`performance.ts` has its options). `npm run bench NAME …`: these
 * benchmarks one after the other, each in a process of its own, `all` being every one; options after the names are theirs
 * (`npm run bench console -- --minutes 60`).
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const folder = new URL(".", import.meta.url);
const all = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .map((name) => name.slice(0, -3));
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("--"));
const names = firstOption === -1 ? words : words.slice(0, firstOption);
const options = firstOption === -1 ? [] : words.slice(firstOption);
const wanted = names.length === 0 ? ["performance"] : names[0] === "all" ? all : names;
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${all.join(", ")}.`);
  process.exit(1);
}

// Services, databases and receivers do not outlive a benchmark that is ended from outside.
const temporary = makeGuardedFolder("rowmill-benchmarks-");

let failed = 0;
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, folder));
  const { status } = spawnSync(process.execPath, ["--conditions=@rowmill/source", file, ...options], {
    stdio: "inherit",
    env: { ...process.env, TMPDIR: temporary },
  });
  if (status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
