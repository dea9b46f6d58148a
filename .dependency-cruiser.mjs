/** The written order of the server's resources: a resource imports only those before it. */
export const resources = [
  "reference",
  "audit-events",
  "events",
  "organizations",
  "api-keys",
  "invitations",
  "connections",
  "datasets",
  "dataset-uploads",
  "usage",
  "job-specs",
  "runs",
  "exports",
];
/** These stand on top: they read `events`, and no other resource imports them. */
export const onTop = ["webhook-endpoints", "webhook-deliveries", "alert-rules"];

/** A slice may have a `testing.ts` with what its tests share. */
const tests = "(\\.test\\.ts$|/testing\\.ts$|^packages/server/src/testing/|^tests/)";
const roles = "^packages/server/src/(app|worker|main)\\.ts$";
const slice = (names) => `^packages/server/src/resources/(${names.join("|")})/`;

function forbid(name, from, to) {
  return { name, severity: "error", from, to };
}

export default {
  forbidden: [
    forbid("no-circular", {}, { circular: true }),
    forbid("unresolvable", {}, { couldNotResolve: true }),

    // Between packages: console and cli use the client; client and server use the contract.
    forbid("contract-is-leaf", { path: "^packages/contract/" }, { path: "^packages/(?!contract/)" }),
    forbid(
      "not-into-server",
      { path: "^packages/(client|cli|console)/", pathNot: tests },
      { path: "^packages/server/" },
    ),
    forbid("cli-and-console-use-the-client", { path: "^packages/(cli|console)/" }, { path: "^packages/contract/" }),
    forbid("server-uses-no-client", { path: "^packages/server/", pathNot: tests }, { path: "^packages/client/" }),

    // Of its own files, a command reads what it needs when it runs: the others would slow every start.
    forbid(
      "commands-are-loaded-when-used",
      { path: "^packages/cli/src/((main|commands)\\.ts|frame/)", pathNot: tests },
      { path: "^packages/cli/src/(commands|map|local)/", dependencyTypesNot: ["dynamic-import"] },
    ),

    // In the server: main → app, worker → resources → processors → platform.
    forbid("main-is-the-top", { path: "^packages/", pathNot: tests }, { path: "^packages/server/src/main\\.ts$" }),
    forbid("resources-import-no-role", { path: "/src/resources/", pathNot: tests }, { path: roles }),
    forbid(
      "processors-import-no-resource",
      { path: "^packages/server/src/processors/", pathNot: tests },
      { path: ["^packages/server/src/resources/", roles] },
    ),
    forbid(
      "platform-imports-no-resource",
      { path: "^packages/server/src/platform/", pathNot: tests },
      { path: ["^packages/server/src/(resources|processors)/", roles] },
    ),
    forbid("testing-is-for-tests", { path: "^packages/", pathNot: tests }, { path: "^packages/server/src/testing/" }),

    // Within a slice: routes → resource ← tasks.
    forbid(
      "routes-belong-to-the-app",
      { path: "^packages/server/", pathNot: [tests, "^packages/server/src/app\\.ts$"] },
      { path: "\\.routes\\.ts$" },
    ),
    forbid(
      "tasks-belong-to-the-worker",
      { path: "/src/resources/", pathNot: [tests, "\\.tasks\\.ts$"] },
      { path: "\\.tasks\\.ts$" },
    ),

    // Between slices: downward in the written order.
    forbid("nobody-imports-webhooks-or-alerts", { path: slice(resources), pathNot: tests }, { path: slice(onTop) }),
    ...resources
      .slice(0, -1)
      .map((name, i) =>
        forbid(
          `${name}-imports-downward-only`,
          { path: slice([name]), pathNot: tests },
          { path: slice(resources.slice(i + 1)) },
        ),
      ),
  ],
  options: {
    // Without it, dependency-cruiser looks for the classic TypeScript API, finds none and sees no module at all.
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules/\\.cache)/|^packages/client/src/generated/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@rowmill/source", "import", "default"],
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
