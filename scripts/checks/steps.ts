/**
 * The steps of `npm test`, cheap ones first. A step is one command; it passes when the command exits with 0, and counts
 * as one test, except `tests`, whose tests are counted one by one.
 */
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { minutes } from "./time.ts";

export interface Step {
  name: string;
  /** Arguments for Node: a script, then its own arguments. */
  args: string[];
  /** Its last line says how much it has checked. */
  hasSummary?: true;
  /** What it prints is of interest, whatever its end. */
  isLive?: true;
  /** Added to our own environment. */
  env?: Record<string, string>;
}

/**
 * For one step. Only what hangs may reach it: on a machine with much other work, a check of ten seconds has taken more than four
 * minutes. The slowest step is of three minutes alone on two cores.
 */
export const STEP_TIMEOUT_MS = minutes(20);

/** For all tests together. A test that hangs ends after ten minutes by itself. */
export const TESTS_TIMEOUT_MS = minutes(70);

/** For the whole run, whatever its steps may take: with the installation before it, it stays below 90 minutes. */
export const WHOLE_TIMEOUT_MS = minutes(80);

/** Test files on a server that not every machine has. */
export interface ServerStep {
  name: string;
  /** Before the names of its tests. */
  where: string;
  files: string[];
  install: string;
}

/**
 * What runs on PostgreSQL 15 as well, where it is installed: a service whose database belongs to a role that is no superuser, from an
 * upload to an export, a delivery and a restored backup; installations of earlier versions; lists of results; retry runs and claims, also
 * without statistics.
 */
export const postgresql15Step: ServerStep = {
  name: "tests on PostgreSQL 15",
  where: "on PostgreSQL 15",
  files: [
    "tests/plain-owner.test.ts",
    // Its archives were written by newer servers.
    "tests/releases.test.ts",
    "tests/list-costs.test.ts",
    "tests/retry-costs.test.ts",
    "tests/claim-costs.test.ts",
    "packages/server/src/resources/runs/retry.test.ts",
    "packages/server/src/resources/runs/run-results.test.ts",
  ],
  install: "on Debian: apt-get install postgresql-15",
};

/** The object store on a real S3 server; other runs of the tests leave these files out. */
export const s3Step: ServerStep = {
  name: "tests on S3 (Ceph)",
  where: "on S3",
  files: [".s3.test.ts"],
  install: "on Debian: apt-get install radosgw ceph-mon ceph-osd",
};

/** The service on a cluster; other runs of the tests leave these files out. */
export const citusStep: ServerStep = {
  name: "tests on Citus",
  where: "on Citus",
  files: [".citus.test.ts"],
  install: "Citus 13 for PostgreSQL 15, from its own packages or sources",
};

const bin = {
  tsc: "node_modules/typescript/bin/tsc",
  oxlint: "node_modules/oxlint/bin/oxlint",
  oxfmt: "node_modules/oxfmt/bin/oxfmt",
  knip: "node_modules/knip/bin/knip.js",
};

/** Several checkers each infer the types that their files share: together they take twice the processor time of one. */
const CHECK_ONCE = ["--noEmit", "--singleThreaded"];
/** It keeps nearly all that it makes: looking for garbage took a third of its processor time, and saved a seventh of 1.6 GB. */
const WITHOUT_COLLECTING = { GOGC: "off" };
/**
 * The type checker of the linter: the same, and it may use four times the memory that it needs before it collects garbage. Two thirds of
 * the processor time.
 */
const LINT_ONCE = { GOMAXPROCS: "1", GOGC: "400" };

export function staticSteps(): Step[] {
  return [
    { name: "types", args: [bin.tsc, "-p", "tsconfig.json", ...CHECK_ONCE], env: WITHOUT_COLLECTING },
    ...packageTypeSteps(),
    {
      name: "lint",
      args: [bin.oxlint, "--format=unix", "--deny-warnings", "--report-unused-disable-directives", "."],
      env: LINT_ONCE,
    },
    { name: "format", args: [bin.oxfmt, "--check", "."] },
    { name: "architecture", args: ["scripts/checks/architecture.ts"], hasSummary: true },
    { name: "unused code", args: [bin.knip, "--no-progress", "--no-config-hints"] },
    { name: "lock file", args: ["scripts/checks/lock-file.ts"], hasSummary: true },
    {
      name: "openapi.json is fresh",
      args: ["packages/contract/src/write-openapi.ts", "--check"],
    },
    {
      name: "client types are fresh",
      args: ["tools/codegen/write-client-types.mjs", "--check"],
    },
    {
      name: "Python client is fresh",
      args: ["tools/codegen/write-python-types.mjs", "--check"],
      hasSummary: true,
    },
    {
      name: "page of settings is fresh",
      args: ["--conditions=@rowmill/source", "packages/server/src/write-settings.ts", "--check"],
    },
    {
      name: "page of the command line is fresh",
      args: ["--conditions=@rowmill/source", "packages/cli/src/write-docs.ts", "--check"],
    },
    {
      name: "reference is fresh",
      args: ["--conditions=@rowmill/source", "tools/docs/write-reference.ts", "--check"],
      hasSummary: true,
    },
    {
      name: "code blocks are fresh",
      args: ["tools/docs/write-code-blocks.ts", "--check"],
      hasSummary: true,
    },
    {
      name: "links and words of docs",
      args: ["--conditions=@rowmill/source", "tools/docs/check-pages.ts"],
      hasSummary: true,
    },
  ];
}

export function demoStep(): Step {
  return { name: "demo", args: ["--conditions=@rowmill/source", "examples/demo/demo.ts"] };
}

/**
 * A few trials of the crash campaign. Half a minute of processor time on two cores; takeovers from dead workers are waited for, and
 * recoveries take longer where other programs run.
 */
export function crashStep(): Step {
  const args = "--short --seed 1 --trials 4 --shapes many".split(" ");
  return {
    name: "crash campaign, short",
    args: ["--conditions=@rowmill/source", "tests/crash/run.ts", ...args],
    hasSummary: true,
  };
}

/** A look at the speed. It prints its table and asserts nothing of it, since machines are noisy; it fails if it cannot measure. */
export function benchStep(): Step {
  return { name: "bench", args: ["bench/run.ts", "--short"], isLive: true };
}

/** Packages that do not run in Node have a project of their own. */
function packageTypeSteps(): Step[] {
  return globSync(["packages/*/tsconfig.json", "tools/docs/site/browser/tsconfig.json"])
    .toSorted()
    .map((path) => dirname(path))
    .map((folder) => ({
      name: `types of ${folder}`,
      args: [
        bin.tsc,
        "-p",
        folder,
        ...CHECK_ONCE,
        "--tsBuildInfoFile",
        join("node_modules/.cache/tsc", `${folder.replaceAll(/[\\/]/g, "-")}.tsbuildinfo`),
      ],
      env: WITHOUT_COLLECTING,
    }));
}
