/** One trial of a start: a deployment of its own starts on data of an earlier time, a fault hits it, and everything starts again. */
import { mkdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { createDeployment } from "./deployment.ts";
import type { DeploymentOptions } from "./deployment.ts";
import { faultOf } from "./faults.ts";
import type { FaultName, FaultOptions } from "./faults.ts";
import { findingOf } from "./findings.ts";
import type { Random } from "./random.ts";
import { printLogs } from "./report.ts";
import { starts } from "./starts.ts";
import type { Start, StartName } from "./starts.ts";
import type { Trial } from "./trial.ts";

/** `folder` does not exist yet. */
export async function runStartTrial(
  { folder, ...rest }: DeploymentOptions,
  random: Random,
  fault: FaultName,
  phase: StartName,
  options: FaultOptions,
): Promise<Trial> {
  await mkdir(folder, { mode: 0o711 });
  const deployment = await createDeployment({ ...rest, folder });
  const start: Start = starts[phase];
  const trial: Trial = { fault, phase, what: "", recoveryMs: 0, takeoverMs: undefined, findings: [] };
  try {
    const check = await start.prepare(deployment);
    for (const { process } of deployment.members) process.spawn();
    await pause(random.next() * start.spanMs);
    trial.what = (await faultOf(fault).inflict(deployment, random, options)).what;
    const overAt = Date.now();
    await deployment.recover();
    const stopSupervising = deployment.supervise();
    try {
      trial.recoveryMs = Date.now() - overAt;
      trial.findings.push(...(await check()));
    } finally {
      stopSupervising();
    }
  } catch (error) {
    trial.findings.push(findingOf(error));
    printLogs(deployment);
  } finally {
    await deployment.stop();
  }
  return trial;
}
