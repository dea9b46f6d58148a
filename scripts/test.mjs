// @ts-check
/**
 * Runs every check and every test, goes on after failures, and ends with one line: `N passed, N failed`.
 *
 *   npm test                      everything
 *   npm run check                 all but the tests and the demo (--static)
 *   npm run test:python           the tests of the Python client alone (--python)
 *   npm run test:s3               the tests on a real S3 server (--s3)
 *   npm run test:citus            the tests on a Citus cluster (--citus)
 *   npm test -- <path> [options]  the tests alone, with these arguments for Vitest
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { endRunningCommands, runCommand } from "./checks/run-command.ts";
import { findCitus, startCitus } from "./checks/citus.ts";
import { findCeph, startCeph } from "./checks/ceph.ts";
import { findPostgresql15, startPostgresql15 } from "./checks/postgresql-15.ts";
import { checkPythonTypes, findPython, runPythonTests } from "./checks/python.ts";
import {
  benchStep,
  citusStep,
  crashStep,
  demoStep,
  postgresql15Step,
  s3Step,
  STEP_TIMEOUT_MS,
  staticSteps,
  TESTS_TIMEOUT_MS,
  WHOLE_TIMEOUT_MS,
} from "./checks/steps.ts";
import { inSeconds } from "./checks/time.ts";
import { COVERAGE_PATH_VARIABLE, readContractCoverage } from "./checks/contract-coverage.ts";
import { guardFolder } from "../packages/server/src/testing/guarded-folder.ts";
import { COUNTS_PATH_VARIABLE, readTestCounts } from "./checks/test-counts.ts";

process.chdir(join(import.meta.dirname, ".."));

const args = process.argv.slice(2);
const isStatic = args.includes("--static");
const isPython = args.includes("--python");
const isS3 = args.includes("--s3");
const isCitus = args.includes("--citus");
const vitestArgs = args.filter((argument) => !["--static", "--python", "--s3", "--citus"].includes(argument));
if ((isStatic || isPython || isS3 || isCitus) && args.length > 1) {
  console.error("--static, --python, --s3 and --citus take no further arguments");
  process.exit(1);
}
const isWhole = args.length === 0;

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, () => {
    endRunningCommands();
    process.exit(signal === "SIGINT" ? 130 : 143);
  });
}

// What the steps start ends with them, and with us. The tests have a folder of their own, and do the same.
const temporary = mkdtempSync(join(tmpdir(), "rowmill-steps-"));
guardFolder(temporary);

const endsAt = performance.now() + WHOLE_TIMEOUT_MS;

let passed = 0;
/** @type {string[]} */
const failed = [];
/** @type {string[]} */
const skipped = [];

if (isWhole) await Promise.all([runTests(), runBesideTests()]);
else if (isStatic) await runSteps(staticSteps(), availableParallelism());
else if (isPython) await runTestsOfPython();
else if (isCitus) await runTestsOnCitus();
else await (isS3 ? runTestsOnS3() : runTests());
// Its bounds are times of a service that has the machine for itself.
if (isWhole) await runStep(crashStep());
// Alone, since it measures.
if (isWhole) await runStep(benchStep());

for (const name of skipped) console.log(`skipped: ${name}`);
for (const name of failed) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** One after the other: the tests wait about a third of their time, which leaves a part of the processors for what needs no quiet. */
async function runBesideTests() {
  await runSteps(staticSteps(), 1);
  await runTestsOfPython();
  await runStep(demoStep());
  await runTestsOnPostgresql15();
  await runTestsOnS3();
  await runTestsOnCitus();
}

/**
 * Most use one processor.
 * @param {import("./checks/steps.ts").Step[]} steps
 * @param {number} atOnce
 */
async function runSteps(steps, atOnce) {
  const left = [...steps];
  const runNext = async () => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) await runStep(step);
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
}

/** @param {import("./checks/steps.ts").Step} step */
async function runStep(step) {
  const startedAt = performance.now();
  const result = await runCommand(process.execPath, step.args, {
    timeoutMs: within(STEP_TIMEOUT_MS),
    isLive: step.isLive ?? false,
    env: { TMPDIR: temporary, ...step.env },
  });
  const seconds = inSeconds(performance.now() - startedAt);
  if (result.outcome === "exited" && result.exitCode === 0) {
    passed += 1;
    printResult(step.name, "passed", step.hasSummary ? `${seconds}, ${result.tail.split("\n").at(-1)}` : seconds);
    return;
  }
  failed.push(step.name);
  printResult(step.name, "FAILED", `${seconds}, ${describeEnd(result)}`);
  if (!step.isLive) console.log(result.tail);
}

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-tests-"));
  const countsPath = join(folder, "counts.json");
  const coveragePath = join(folder, "contract-coverage.json");
  const startedAt = performance.now();
  try {
    const result = await runCommand(
      process.execPath,
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--reporter=default",
        "--reporter=./scripts/checks/test-counts.ts",
        ...vitestArgs,
      ],
      {
        timeoutMs: within(TESTS_TIMEOUT_MS),
        isLive: true,
        env: { [COUNTS_PATH_VARIABLE]: countsPath, [COVERAGE_PATH_VARIABLE]: coveragePath },
      },
    );
    const counts = readTestCounts(countsPath, result.outcome === "exited" && result.exitCode === 0);
    passed += counts.passed;
    failed.push(...counts.failed);
    skipped.push(...counts.skipped);
    const seconds = inSeconds(performance.now() - startedAt);
    const sums = `${counts.passed} passed, ${counts.failed.length} failed, ${counts.skipped.length} skipped`;
    printResult("tests", counts.failed.length > 0 ? "FAILED" : "passed", `${seconds}, ${sums}, ${describeEnd(result)}`);
    // A run of some of the tests says nothing of what the others see.
    if (vitestArgs.length === 0) checkContractCoverage(coveragePath);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Some test files on a server that is not always installed.
 * @param {{ name: string; where: string; files: string[]; install: string }} step
 * @param {(() => Promise<{ env: Record<string, string>; stop(): unknown }>) | undefined} start undefined where it is not installed
 */
async function runTestsOn({ name, where, files, install }, start) {
  if (start === undefined) {
    skipped.push(`${name}: it is not installed (${install})`);
    printResult(name, "skipped", "it is not installed");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "rowmill-tests-"));
  const countsPath = join(folder, "counts.json");
  const startedAt = performance.now();
  /** @type {{ env: Record<string, string>; stop(): unknown } | undefined} */
  let server;
  try {
    server = await start();
    const result = await runCommand(
      process.execPath,
      [
        "node_modules/vitest/vitest.mjs",
        "run",
        "--reporter=default",
        "--reporter=./scripts/checks/test-counts.ts",
        ...files,
      ],
      // Beside other steps what it prints would be read with theirs, and more processes would only wait for each other.
      {
        timeoutMs: within(STEP_TIMEOUT_MS),
        isLive: !isWhole,
        env: { [COUNTS_PATH_VARIABLE]: countsPath, VITEST_MAX_WORKERS: "1", ...server.env },
      },
    );
    const counts = readTestCounts(countsPath, result.outcome === "exited" && result.exitCode === 0);
    passed += counts.passed;
    failed.push(...counts.failed.map((test) => `${where}: ${test}`));
    skipped.push(...counts.skipped.map((test) => `${where}: ${test}`));
    const seconds = inSeconds(performance.now() - startedAt);
    const sums = `${counts.passed} passed, ${counts.failed.length} failed, ${counts.skipped.length} skipped`;
    printResult(name, counts.failed.length > 0 ? "FAILED" : "passed", `${seconds}, ${sums}, ${describeEnd(result)}`);
    if (isWhole && counts.failed.length > 0) console.log(result.tail);
  } catch (error) {
    failed.push(name);
    printResult(name, "FAILED", String(error));
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runTestsOnPostgresql15() {
  const binaries = findPostgresql15();
  await runTestsOn(
    postgresql15Step,
    binaries === undefined
      ? undefined
      : async () => {
          const server = await startPostgresql15(binaries);
          return { env: { ROWMILL_TEST_DATABASE_URL: server.connectionString }, stop: () => server.stop() };
        },
  );
}

async function runTestsOnS3() {
  const root = findCeph();
  await runTestsOn(s3Step, root === undefined ? undefined : () => startCeph(root));
}

async function runTestsOnCitus() {
  const binaries = findCitus();
  await runTestsOn(citusStep, binaries === undefined ? undefined : () => startCitus(binaries));
}

async function runTestsOfPython() {
  const name = "Python client";
  const python = findPython();
  if (python === undefined) {
    skipped.push(`${name}: Python 3.9 or newer is not installed`);
    printResult(name, "skipped", "Python is not installed");
    return;
  }
  const startedAt = performance.now();
  const types = await checkPythonTypes(python, within(STEP_TIMEOUT_MS));
  if (types === undefined)
    skipped.push(`types of the ${name}: mypy is not installed (on Debian: apt-get install mypy)`);
  else if (types.exitCode === 0) passed += 1;
  else {
    failed.push(`types of the ${name}`);
    console.log(types.tail);
  }
  const tests = await runPythonTests(python, temporary, within(STEP_TIMEOUT_MS));
  passed += tests.passed;
  failed.push(...tests.failed.map((test) => `${name}: ${test}`));
  skipped.push(...tests.skipped.map((test) => `${name}: ${test}`));
  const seconds = inSeconds(performance.now() - startedAt);
  const sums = `${tests.passed} passed, ${tests.failed.length} failed, ${tests.skipped.length} skipped`;
  printResult(name, tests.failed.length > 0 ? "FAILED" : "passed", `${seconds}, ${sums}, ${describeEnd(tests.result)}`);
}

/** @param {string} path */
function checkContractCoverage(path) {
  const name = "responses of the contract";
  const { summary, problems } = readContractCoverage(path);
  if (problems.length === 0) passed += 1;
  else failed.push(name);
  printResult(name, problems.length === 0 ? "passed" : "FAILED", summary);
  for (const problem of problems) console.log(problem);
}

/**
 * A limit that also ends before the whole run does. A step that starts too late fails, and is named.
 * @param {number} timeoutMs
 */
function within(timeoutMs) {
  return Math.max(1, Math.min(timeoutMs, endsAt - performance.now()));
}

/** @param {import("./checks/run-command.ts").CommandResult} result */
function describeEnd(result) {
  switch (result.outcome) {
    case "exited":
      return `exit code ${result.exitCode}`;
    case "killed":
      return "ended by a signal";
    case "timed_out":
      return "out of time";
    case "not_started":
      return "could not be started";
  }
}

/**
 * @param {string} name
 * @param {string} result
 * @param {string} remark
 */
function printResult(name, result, remark) {
  console.log(`${name.padEnd(28)} ${result.padEnd(8)} ${remark}`);
}
