/** One trial: work begins, a fault hits it at a moment of its own, everything recovers, and what was acknowledged is looked at. */
import { setTimeout as pause } from "node:timers/promises";
import { BOUND_MS } from "./deployment.ts";
import { faultOf } from "./faults.ts";
import type { FaultName, FaultOptions } from "./faults.ts";
import { findingOf } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { phases } from "./phases.ts";
import type { Phase, PhaseName } from "./phases.ts";
import type { StartName } from "./starts.ts";
import { countLosses, watchTakeover } from "./takeover.ts";
import type { World } from "./crash-world.ts";

export interface Trial {
  fault: FaultName;
  phase: PhaseName | StartName;
  what: string;
  /** From the moment the fault was over to the end of all work (of a start: until all serve); with the takeover from a dead worker. */
  recoveryMs: number;
  /** Until the chunks of the worker that was hit were with another; undefined where it had none. */
  takeoverMs: number | undefined;
  /** Calls that were paid for more than once; undefined where the phase has none. */
  repeatedCalls?: number | undefined;
  findings: Finding[];
}

export async function runTrial(
  world: World,
  faultName: FaultName,
  phaseName: PhaseName,
  options: FaultOptions,
): Promise<Trial> {
  const { deployment, random } = world;
  const fault = faultOf(faultName);
  const phase: Phase = phases[phaseName];
  const sparesWorkers = fault.sparesWorkers?.(deployment.shape, options) === true;
  const trial: Trial = {
    fault: faultName,
    phase: phaseName,
    what: "",
    recoveryMs: 0,
    takeoverMs: undefined,
    findings: [],
  };
  // What the trial before has hit may end only now.
  let stopSupervising = deployment.supervise();
  try {
    await phase.prepare?.(world);
    const work = phase.begin(world);
    // They are awaited below, after the fault.
    work.begun.catch(() => undefined);
    work.ended.catch(() => undefined);
    await work.begun;
    await pause(random.next() * phase.spanMs);
    stopSupervising();
    const takeover = await watchTakeover(deployment.database, BOUND_MS);
    const lossesBefore = await countLosses(deployment.database);
    const { victim, what } = await fault.inflict(deployment, random, options);
    const overAt = Date.now();
    trial.what = what;
    // A dead worker stays dead until another one has its chunks: what is measured is the takeover, not a restart.
    if (victim !== undefined) trial.takeoverMs = await takeover();
    await deployment.recover();
    stopSupervising = deployment.supervise();
    await work.ended;
    trial.recoveryMs = Date.now() - overAt;
    trial.findings.push(...(await work.check(!sparesWorkers)));
    trial.repeatedCalls = work.repeatedCalls?.();
    const losses = (await countLosses(deployment.database)) - lossesBefore;
    if (sparesWorkers && fault.breaksConnections !== true && losses > 0)
      trial.findings.push({ kind: "wrong", what: `${losses} chunks were taken from workers that live` });
  } catch (error) {
    trial.findings.push(findingOf(error));
  } finally {
    stopSupervising();
  }
  return trial;
}
