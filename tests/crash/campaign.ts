/** Trials in their order: faults and phases alternate, moments and victims follow from the seed. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { optionsOfBrokenBuild } from "./broken-builds.ts";
import { createClock } from "./clock.ts";
import { checkAll } from "./checker.ts";
import { createDeployment } from "./deployment.ts";
import type { Shape } from "./deployment.ts";
import { faultOf } from "./faults.ts";
import { findingOf } from "./findings.ts";
import type { FaultName } from "./faults.ts";
import type { Options } from "./options.ts";
import { startOutside } from "./outside.ts";
import type { Outside } from "./outside.ts";
import type { PhaseName } from "./phases.ts";
import { createRandom } from "./random.ts";
import { printLogs } from "./report.ts";
import { runStartTrial } from "./start-trial.ts";
import { starts } from "./starts.ts";
import type { StartName } from "./starts.ts";
import { runTrial } from "./trial.ts";
import type { Trial } from "./trial.ts";
import { createWorld } from "./crash-world.ts";
import type { World } from "./crash-world.ts";

/** Everything that was acknowledged is looked at after so many trials, and at the end. */
const CHECK_EVERY = 20;
/** Lists grow with the trials, and with them the time of a check: then a new deployment begins. */
const TRIALS_OF_DEPLOYMENT = 200;

/** Resolves with false where the campaign has seen enough. */
export type OnTrial = (trial: Trial, number: number) => Promise<boolean>;

interface Planned {
  fault: FaultName;
  phase: PhaseName | StartName;
}

const isStart = (phase: PhaseName | StartName): phase is StartName => phase in starts;

export async function runCampaign(folder: string, options: Options, onTrial: OnTrial): Promise<Trial[]> {
  const trials: Trial[] = [];
  const outside = await startOutside();
  try {
    for (const shape of options.shapes) {
      const planned = plan(shape, options);
      const share = Math.ceil(options.trials / options.shapes.length);
      for (let made = 0; made < share && planned.length > 0; made += TRIALS_OF_DEPLOYMENT) {
        const part = Array.from({ length: Math.min(TRIALS_OF_DEPLOYMENT, share - made) }, (_unused, i) => {
          const next = planned[(made + i) % planned.length];
          if (next === undefined) throw new Error("nothing is planned");
          return next;
        });
        const own = join(folder, `${shape}-${made}`);
        await mkdir(own, { mode: 0o711 });
        const goesOn = await runPart(own, shape, part, outside, options, (trial) => {
          trials.push(trial);
          return onTrial(trial, trials.length);
        });
        if (!goesOn) return trials;
      }
    }
  } finally {
    await outside.close();
  }
  return trials;
}

/** One of each kind: a process, the database, a part of it. */
const SHORT: readonly Planned[] = [
  { fault: "kill-worker", phase: "run" },
  { fault: "kill-postmaster", phase: "intake" },
  { fault: "kill-service", phase: "export" },
  { fault: "kill-backend", phase: "delivery" },
];

/** Every fault in every phase; neighbours differ in both, so that a short campaign has something of everything. */
function plan(shape: Shape, { faults, phases, isShort }: Options): readonly Planned[] {
  if (isShort) return SHORT;
  const possible = faults.filter((fault) => faultOf(fault).shapes.includes(shape) && !isMissing(fault));
  const rounds = Array.from({ length: phases.length }, (_unused, shift) =>
    possible.flatMap((fault, i): Planned[] => {
      const phase = phases[(i + shift) % phases.length];
      return phase === undefined || !fits(shape, phase) ? [] : [{ fault, phase }];
    }),
  );
  return rounds.flat();
}

const fits = (shape: Shape, phase: PhaseName | StartName): boolean =>
  !isStart(phase) || (starts[phase].shapes as readonly Shape[]).includes(shape);

function isMissing(name: FaultName): boolean {
  const why = faultOf(name).missing?.();
  if (why !== undefined) console.log(`skipped: ${name}: ${why}`);
  return why !== undefined;
}

async function runPart(
  folder: string,
  shape: Shape,
  planned: readonly Planned[],
  outside: Outside,
  options: Options,
  onTrial: (trial: Trial) => Promise<boolean>,
): Promise<boolean> {
  const random = createRandom(options.seed);
  const settings = {
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: outside.origin,
    ROWMILL_LOG_LEVEL: "info",
  };
  const build = options.broken === undefined ? undefined : optionsOfBrokenBuild(options.broken);
  const environment = { NODE_COMPILE_CACHE: join(folder, "compiled"), ...build?.environment };
  const nodeOptions = build?.nodeOptions ?? [];
  const clock = planned.some(({ fault }) => faultOf(fault).needsClock === true)
    ? await createClock(join(folder, "clock"))
    : undefined;
  const how = { shape, settings, environment, nodeOptions, clock };
  const deployment = await createDeployment({ ...how, folder });
  try {
    await deployment.recover();
    const world = await createWorld(deployment, outside, random);
    for (const [i, { fault, phase }] of planned.entries()) {
      if (isStart(phase)) {
        const own = { ...how, folder: join(folder, `start-${i}`) };
        if (!(await onTrial(await runStartTrial(own, random, fault, phase, options)))) return false;
        continue;
      }
      const trial = await runTrial(world, fault, phase, options);
      const isChecked = (i + 1) % CHECK_EVERY === 0 || i === planned.length - 1;
      if (isChecked || trial.findings.length > 0) await lookAtAll(world, trial);
      if (trial.findings.length > 0 && options.broken === undefined) printLogs(deployment);
      if (!(await onTrial(trial))) return false;
    }
    return true;
  } finally {
    await deployment.stop();
  }
}

async function lookAtAll(world: World, trial: Trial): Promise<void> {
  const { deployment } = world;
  const stopSupervising = deployment.supervise();
  try {
    await deployment.recover();
    trial.findings.push(...(await checkAll(world)));
  } catch (error) {
    trial.findings.push(findingOf(error));
  } finally {
    stopSupervising();
  }
}
