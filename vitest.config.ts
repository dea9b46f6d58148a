import { configDefaults, defineConfig } from "vitest/config";
import { FILES_AT_ONCE } from "./packages/server/src/testing/file-slots.ts";
import { scriptsFromProgram } from "./packages/server/src/testing/make-program.ts";
import { LongestFirst } from "./scripts/longest-first.ts";

const SOURCE = "@rowmill/source";

/** Threads that collect garbage find no idle processor here, and what a pause would make small is in use again after it. */
const NO_COLLECTORS_ASIDE = ["--single-threaded-gc", "--no-memory-reducer"];

/**
 * MB. From its own first limit, V8 collects the old space twice as often, and marks all modules of the server each time. Processes have held as
 * much before a collection without this, too.
 */
const ROOM_BEFORE_COLLECTING = "--initial-old-space-size=512";

export default defineConfig({
  plugins: [scriptsFromProgram()],
  // Workspace packages are read from their sources: by tests, and by the global setup, which has an environment of its own.
  ssr: { resolve: { conditions: [SOURCE] } },
  environments: { __vitest__: { resolve: { conditions: [SOURCE] } } },
  test: {
    // So do the threads that tests start: they inherit these arguments.
    execArgv: [`--conditions=${SOURCE}`, ...NO_COLLECTORS_ASIDE, ROOM_BEFORE_COLLECTING],
    // One PostgreSQL for all files, started when the first of them needs it.
    globalSetup: ["packages/server/src/testing/global-setup.ts"],
    setupFiles: ["packages/server/src/testing/setup-file.ts"],
    // Files share a process and the modules it has loaded: loading the server anew took a third of the time of all tests.
    isolate: false,
    restoreMocks: true,
    include: ["packages/**/src/**/*.test.ts", "tests/**/*.test.ts", "tools/docs/**/*.test.ts"],
    // They need a real S3 server: `npm run test:s3` starts one.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env["ROWMILL_TEST_S3_ENDPOINT"] === undefined ? ["**/*.s3.test.ts"] : []),
      // And a cluster: `npm run test:citus`.
      ...(process.env["ROWMILL_TEST_CITUS"] === undefined ? ["**/*.citus.test.ts"] : []),
    ],
    // A real server on a real database, on a slow machine; a test that hangs still ends.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What is polled is mostly a list of the service: asked twenty times a second, it would be a third of the work of a test.
    expect: { poll: { timeout: 240_000, interval: 150 } },
    teardownTimeout: 30_000,
    // Not all of them are at work at any time: see `file-slots.ts`.
    maxWorkers: FILES_AT_ONCE.most,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    passWithNoTests: false,
  },
});
