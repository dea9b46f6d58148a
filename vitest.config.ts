import { defineConfig } from "vitest/config";

export default defineConfig({
  // Workspace packages are read from their sources.
  ssr: { resolve: { conditions: ["@rowmill/source"] } },
  test: {
    include: ["packages/**/src/**/*.test.ts", "tests/**/*.test.ts"],
    // A real server on a real database, on a slow machine; a test that hangs still ends.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    // Two files at a time: each may own a server, a database and worker threads.
    maxWorkers: 2,
    // A test that passes on the second try has failed.
    retry: 0,
    allowOnly: false,
    passWithNoTests: false,
  },
});
