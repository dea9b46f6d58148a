/**
 * A Vitest reporter that writes what passed, what failed, and what was skipped and therefore proves nothing. Vitest's own
 * JSON report leaves out failed hooks and errors outside of any test, and shows the tests they prevented as skipped.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestModule } from "vitest/node";

export interface TestCounts {
  passed: number;
  failed: string[];
  skipped: string[];
}

/** Where the reporter, which runs inside Vitest, leaves its counts. */
export const COUNTS_PATH_VARIABLE = "ROWMILL_TEST_COUNTS_PATH";

export default class TestCountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { message: string }[]): void {
    const path = process.env[COUNTS_PATH_VARIABLE];
    if (path === undefined) throw new Error(`${COUNTS_PATH_VARIABLE} is not set`);
    writeFileSync(path, JSON.stringify(countTests(modules, unhandledErrors)));
  }
}

/** `hasExitedWell` is whether Vitest ended by itself with exit code 0. */
export function readTestCounts(path: string, hasExitedWell: boolean): TestCounts {
  if (!existsSync(path)) return { passed: 0, failed: ["the test runner, which did not finish"], skipped: [] };
  const counts = JSON.parse(readFileSync(path, "utf8")) as TestCounts;
  if (counts.failed.length === 0 && !hasExitedWell) counts.failed.push("the test runner, outside of any test");
  if (counts.failed.length === 0 && counts.passed === 0) counts.failed.push("the test runner, which ran no test");
  return counts;
}

/** The last lines of a log are often all that is at hand: they say why, too. */
const SHOWN_CHARACTERS = 300;

function beginning(errors: readonly { message: string }[] | undefined): string {
  const text = stripVTControlCharacters(errors?.[0]?.message ?? "").replaceAll(/\s+/g, " ");
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

function countTests(modules: readonly TestModule[], unhandledErrors: readonly { message: string }[]): TestCounts {
  const counts: TestCounts = { passed: 0, failed: [], skipped: [] };
  for (const module of modules) {
    const path = module.relativeModuleId;
    if (module.errors().length > 0) counts.failed.push(`${path}: the file itself`);
    for (const suite of module.children.allSuites()) {
      if (suite.errors().length > 0) counts.failed.push(`${path}: the hooks of ${suite.fullName}`);
    }
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === "passed") counts.passed += 1;
      else if (state === "failed") counts.failed.push(`${path}: ${test.fullName}: ${beginning(errors)}`);
      else if (state === "skipped") counts.skipped.push(`${path}: ${test.fullName}`);
      else counts.failed.push(`${path}: ${test.fullName}, which did not finish`);
    }
  }
  counts.failed.push(...unhandledErrors.map(({ message }) => `outside of any test: ${message.split("\n")[0]}`));
  return counts;
}
