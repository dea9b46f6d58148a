/**
 * The crash campaign: kills, stops and cuts off the parts of a deployment while they work, and checks that everything that was
 * acknowledged is still true, once.
 *
 *     npm run test:crash -- --seed 7 --trials 100 --faults kill-worker,kill-postmaster --phases run,export
 *
 * Most of a trial is waiting, so several campaigns can run beside each other: each writes its trials with `--output FILE`,
 * and `--report FILE --report FILE` prints one table of them.
 */
import { appendFile, chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCampaign } from "./campaign.ts";
import { readOptions } from "./options.ts";
import { printTable } from "./report.ts";
import type { Trial } from "./trial.ts";
import { unmountAll } from "./volumes.ts";

const options = readOptions(process.argv.slice(2));
if (options.report.length > 0) {
  const files = await Promise.all(options.report.map((file) => readFile(file, "utf8")));
  const lines = files.flatMap((text) => text.trim().split("\n"));
  endWith(lines.map((line) => JSON.parse(line) as Trial)); // written below
  process.exit();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const folder = await mkdtemp(join(tmpdir(), "rowmill-crash-"));
// As root, PostgreSQL runs as somebody else, who has to pass.
await chmod(folder, 0o711);
console.log(`seed ${options.seed}`);
try {
  const trials = await runCampaign(folder, options, async (trial, number) => {
    const { fault, phase, what, recoveryMs, takeoverMs, repeatedCalls, findings } = trial;
    const takeover = takeoverMs === undefined ? "" : `, taken over after ${takeoverMs} ms`;
    const repeated = repeatedCalls === undefined ? "" : `, ${repeatedCalls} calls made again`;
    console.log(`${number} ${fault} in ${phase}: ${what}; recovered after ${recoveryMs} ms${takeover}${repeated}`);
    for (const { kind, what: found } of findings) console.log(`  ${kind.toUpperCase()} ${found}`);
    if (options.output !== undefined)
      await appendFile(options.output, `${JSON.stringify({ seed: options.seed, number, ...trial })}\n`);
    return true;
  });
  endWith(trials);
} catch (error) {
  // Printed before the cleanup, which may fail for the same reason and hide this error.
  console.error(error);
  process.exitCode = 1;
} finally {
  unmountAll();
  await rm(folder, { recursive: true, force: true });
}

function endWith(trials: readonly Trial[]): void {
  printTable(trials);
  const findings = trials.flatMap((trial) => trial.findings);
  console.log(`${trials.length} trials, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
