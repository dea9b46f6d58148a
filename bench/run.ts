/** `npm run bench [name …]`: the benchmarks one after the other, each in a process of its own; none is part of the tests. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL(".", import.meta.url);
const all = readdirSync(folder)
  .filter((name) => name.endsWith(".ts") && name !== "run.ts")
  .map((name) => name.slice(0, -3));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark "${unknown}". There are: ${all.join(", ")}.`);
  process.exit(1);
}

let failed = 0;
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n== ${name}`);
  const file = fileURLToPath(new URL(`${name}.ts`, folder));
  const { status } = spawnSync(process.execPath, ["--conditions=@rowmill/source", file], { stdio: "inherit" });
  if (status !== 0) failed++;
}
process.exit(failed === 0 ? 0 : 1);
