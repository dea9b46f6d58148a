/**
 * Whether the campaign sees what it is to see: each build that is broken on purpose must be caught, in the fault that shows it.
 *
 *     npm run test:crash:checker
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokenBuildNames, brokenBuildOf } from "./broken-builds.ts";
import { runCampaign } from "./campaign.ts";

const SEED = 1;

let missed = 0;
for (const broken of brokenBuildNames) {
  const { meaning, shape, fault, phase, finds, trials: count } = brokenBuildOf(broken);
  const folder = await mkdtemp(join(tmpdir(), "rowmill-crash-"));
  await chmod(folder, 0o711);
  let caught: string | undefined;
  try {
    await runCampaign(
      folder,
      {
        seed: SEED,
        trials: count,
        faults: [fault],
        phases: [phase],
        shapes: [shape],
        awaySeconds: 1,
        isShort: false,
        output: undefined,
        report: [],
        broken,
      },
      async ({ findings }) => {
        caught ??= findings.find(({ kind }) => finds.includes(kind))?.what;
        return caught === undefined;
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (caught === undefined) missed++;
  console.log(
    `${broken} (${meaning}): ${caught === undefined ? "NOT CAUGHT" : `caught by ${fault} in ${phase}: ${caught}`}`,
  );
}
console.log(`${brokenBuildNames.length - missed} of ${brokenBuildNames.length} broken builds were caught`);
process.exitCode = missed === 0 ? 0 : 1;
