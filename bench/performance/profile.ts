/** Where the service's own thread spends its time in a run: a sampled profile, summed up by what the code belongs to. */
import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Table } from "./table.ts";
import { startBenchService } from "../support/service.ts";
import { processors } from "./run-times.ts";
import { finishedRun, uploadRows } from "./world.ts";
import type { World } from "./world.ts";

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  timeDeltas: number[];
  startTime: number;
}

/** Smaller parts are added up. */
const LEAST_SHARE = 0.01;

/** By the monotonic clock, which profiles use as well. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n);

export async function measureProfile(world: World, table: Table, rows: number): Promise<void> {
  for (const name of ["mock", "transform"] as const) {
    const folder = await mkdtemp(join(world.folder, "profile-"));
    const service = await startBenchService(world.settings, {
      nodeOptions: ["--cpu-prof", `--cpu-prof-dir=${folder}`],
    });
    const dataset = await uploadRows(service.rowmill, rows);
    const jobSpec = await service.rowmill.jobSpecs.create({ name, processor: processors[name] });
    await finishedRun(service.rowmill, dataset, jobSpec.id, Math.min(rows, 5_000));
    const from = nowUs();
    await finishedRun(service.rowmill, dataset, jobSpec.id, rows);
    const to = nowUs();
    await service.stop();
    const sums = new Map<string, number>();
    // The main thread is the one that was profiled from the start; the others are those of the sandboxes.
    const [file] = (await readdir(folder)).toSorted((a, b) => threadOf(a) - threadOf(b));
    if (file === undefined) throw new Error("the service left no profile");
    const profile = JSON.parse(await readFile(join(folder, file), "utf8")) as Profile; // V8 has written it
    const groups = new Map(profile.nodes.map(({ id, callFrame }) => [id, groupOf(callFrame)]));
    let at = profile.startTime;
    for (const [i, delta] of profile.timeDeltas.entries()) {
      at += delta;
      if (at < from || at > to) continue;
      const group = groups.get(profile.samples[i] ?? 0) ?? "other";
      sums.set(group, (sums.get(group) ?? 0) + delta);
    }
    const total = [...sums.values()].reduce((sum, us) => sum + us, 0);
    const sorted = [...sums].toSorted((a, b) => b[1] - a[1]).filter(([, us]) => us / total >= LEAST_SHARE);
    table.section(
      `What the service's main thread does in a run of ${rows.toLocaleString("en")} rows, \`${name}\``,
      "Shares of the time between its creation and its end, sampled.",
    );
    for (const [group, us] of sorted)
      table.add({ what: group, samples: [us / total], show: (share) => `${(share * 100).toFixed(1)} %` });
  }
}

/** `CPU.date.time.pid.thread.number.cpuprofile`. */
const threadOf = (file: string): number => Number(file.split(".")[4]);

function groupOf({ functionName, url }: Profile["nodes"][number]["callFrame"]): string {
  if (functionName === "(idle)") return "idle: waiting for the database, the sandboxes or the disk";
  if (functionName === "(garbage collector)") return "garbage collection";
  if (url === "") return `native: ${functionName.replace(/[()]/g, "")}`;
  if (url.startsWith("node:")) return `Node: ${url.slice(5).replace("internal/", "")}`;
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return `package ${dependency}`;
  const own = /packages\/([^/]+)\/(?:src|dist)\/(?:([^/]+)\/)?(?:([^/]+)\/)?/.exec(url);
  return own === null ? "other" : `Rowmill: ${[own[1], own[2], own[3]].filter((part) => part !== undefined).join("/")}`;
}
