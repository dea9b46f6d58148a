/** What the service is doing when it is hit. Each phase acknowledges facts while it goes on, and knows what must be true at its end. */
import { beginDeletion, prepareDeletion } from "./phases/deletion.ts";
import { beginDelivery } from "./phases/delivery.ts";
import { beginExport } from "./phases/export.ts";
import { beginIntake } from "./phases/intake.ts";
import { beginPaidRun, beginRetry, beginRun } from "./phases/runs.ts";
import type { Work } from "./work.ts";
import { makeEndedRun } from "./crash-world.ts";
import type { World } from "./crash-world.ts";

export interface Phase {
  /** It takes about so long without a fault: the moment of the fault is chosen within. */
  spanMs: number;
  /** What it needs, made before anything is hit. */
  prepare?: (world: World) => Promise<void>;
  begin(world: World): Work;
}

export const phases = {
  intake: { spanMs: 700, begin: beginIntake },
  run: { spanMs: 2_500, begin: beginRun },
  paid: { spanMs: 2_000, begin: beginPaidRun },
  retry: {
    spanMs: 1_000,
    prepare: async (world) => {
      if (world.unretriedRunId === undefined) await makeEndedRun(world);
    },
    begin: beginRetry,
  },
  export: { spanMs: 500, begin: beginExport },
  delivery: { spanMs: 2_500, begin: beginDelivery },
  // Half of it are requests, the rest is for the tasks that delete rows and files.
  deletion: { spanMs: 3_000, prepare: prepareDeletion, begin: beginDeletion },
} satisfies Record<string, Phase>;
export type PhaseName = keyof typeof phases;
export const phaseNames = Object.keys(phases) as PhaseName[];
