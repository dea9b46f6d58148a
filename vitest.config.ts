import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["@rowmill/source"] } },
  test: {
    include: ["packages/**/src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two files at a time: each may own a server, a database and worker threads.
    maxWorkers: 2,
  },
});
