/**
 * `npm run bench`: the table of `docs/performance.md` (`performance.ts` has its options). `npm run bench NAME …`: these
 * benchmarks one after the other, each in a process of its own, `all` being every one.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL(".", import.meta.url);
const all = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .map((name) => name.slice(0, -3));
const words = process.argv.slice(2);
const options = words.some((word) => word.startsWith("--")) ? words : [];
const wanted = options.length > 0 || words.length === 0 ? ["performance"] : words[0] === "all" ? all : words;
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${all.join(", ")}.`);
  process.exit(1);
}

let failed = 0;
for (const name of wanted) {
  console.log(`\n== ${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, folder));
  const { status } = spawnSync(process.execPath, ["--conditions=@rowmill/source", file, ...options], {
    stdio: "inherit",
  });
  if (status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
