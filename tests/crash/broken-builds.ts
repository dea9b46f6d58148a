/**
 * Builds that are broken on purpose, for the question whether the checker sees it. Loaded before the service (`--import`), the
 * hook replaces pieces of one source file as it is read; the file on disk stays as it is.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Shape } from "./deployment.ts";
import type { FaultName } from "./faults.ts";
import type { Finding } from "./findings.ts";
import type { PhaseName } from "./phases.ts";

const VARIABLE = "CRASH_BROKEN_BUILD";

interface BrokenBuild {
  meaning: string;
  /** The end of the file's path. */
  file: string;
  /** Pieces of its text, and what stands there instead. */
  pieces: readonly (readonly [string, string])[];
  /** Where it shows. */
  shape: Shape;
  fault: FaultName;
  phase: PhaseName;
  /** What the checker has to find, in one of so many trials. */
  finds: readonly Finding["kind"][];
  trials: number;
}

export const brokenBuilds = {
  "commit-without-fence": {
    meaning: "a worker that has lost its claim commits all the same",
    file: "/engine/chunks/commit-chunk.ts",
    pieces: [
      [
        "and claim_no = :claimNo and state = 'running' and last_part = :formerPart",
        "and :claimNo::int is not null and :formerPart::int is not null",
      ],
      // The primary keys would stop it, too.
      [
        ":formerPart + s.n::int,",
        ":formerPart + s.n::int + 1000 + ((extract(epoch from clock_timestamp()) * 10)::bigint % 100000)::int,",
      ],
      [
        "retryable boolean, failure json, usage json)",
        "retryable boolean, failure json, usage json) on conflict do nothing",
      ],
    ],
    shape: "many",
    fault: "stop-worker",
    phase: "run",
    finds: ["doubled", "wrong"],
    trials: 4,
  },
  "acknowledged-before-durable": {
    meaning: "a commit is acknowledged before it is written to disk",
    file: "/database/embedded/postmaster.ts",
    pieces: [['jit: "off",', 'jit: "off", synchronous_commit: "off", wal_writer_delay: "10s",']],
    shape: "single",
    fault: "kill-postmaster",
    phase: "intake",
    finds: ["lost", "stuck", "wrong"],
    trials: 4,
  },
  "dropped-export-file": {
    meaning: "an export is reported as ready, and its file is gone",
    file: "/storage/file-store.ts",
    pieces: [
      [
        "await place(written, path, root);\n    return content;",
        'if (path.includes("/exports/")) await rm(written); else await place(written, path, root);\n    return content;',
      ],
    ],
    shape: "single",
    fault: "kill-service",
    phase: "export",
    finds: ["lost"],
    trials: 2,
  },
  "deletion-without-failures": {
    meaning: "the failures of a deleted run stay in the database",
    file: "/stored-results/purge-results.ts",
    pieces: [
      ["delete from run_failures where run_id = $1", "delete from run_failures where run_id <> $1 and run_id = $1"],
    ],
    shape: "many",
    fault: "kill-worker",
    phase: "deletion",
    finds: ["orphan"],
    trials: 1,
  },
  "responses-recorded-late": {
    meaning: "responses that were paid for wait for the end of their chunk",
    file: "/engine/lanes/turn.ts",
    pieces: [["waiting: 100 }", "waiting: 600_000 }"]],
    shape: "many",
    fault: "kill-all",
    phase: "paid",
    finds: ["doubled"],
    trials: 6,
  },
  "looks-of-a-silent-database": {
    meaning: "a look for lost jobs counts, though the database stood still just before, and kept beats waiting",
    file: "/queue/lost-jobs.ts",
    pieces: [
      ["if (silence.lasts()) {", "if (silence.lasts() && dueAt < 0) {"],
      ["!wasCareful && silence.hasEnded(BEAT_AGAIN_MS)", "false"],
      ["coalesce(${DATABASE_MS} - $2::float8 > ${LATE_MS}, false)", "coalesce($2::float8 is null and false, false)"],
    ],
    shape: "many",
    fault: "freeze-database",
    phase: "paid",
    finds: ["doubled", "wrong"],
    trials: 12,
  },
} satisfies Record<string, BrokenBuild>;
export type BrokenBuildName = keyof typeof brokenBuilds;
export const brokenBuildNames = Object.keys(brokenBuilds) as BrokenBuildName[];
export const brokenBuildOf = (name: BrokenBuildName): BrokenBuild => brokenBuilds[name];

/** For the processes of a deployment. */
export const optionsOfBrokenBuild = (name: BrokenBuildName) => ({
  environment: { [VARIABLE]: name },
  nodeOptions: ["--import", import.meta.filename],
});

const wanted = brokenBuildNames.find((name) => name === process.env[VARIABLE]);
if (wanted !== undefined) breakBuild(brokenBuildOf(wanted));

function breakBuild({ file, pieces }: BrokenBuild): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(file)) return loaded;
      let text = readFileSync(fileURLToPath(url), "utf8");
      for (const [from, to] of pieces) {
        // A break that breaks nothing would show the checker to be blind.
        if (!text.includes(from)) throw new Error(`${file} has no "${from}": correct tests/crash/broken-builds.ts`);
        text = text.replace(from, () => to);
      }
      return { ...loaded, source: text };
    },
  });
}
