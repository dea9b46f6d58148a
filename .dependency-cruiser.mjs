/** The written order of the server's resources: a resource imports only those before it. */
const resources = [
  "audit-events", "events", "organizations", "api-keys", "invitations", "connections", "datasets", "dataset-uploads", "job-specs", "runs", "exports",
];
/** These stand on top: they read `events`, and no other resource imports them. */
const onTop = ["webhook-endpoints", "webhook-deliveries", "alert-rules"];
const slice = (names) => `^packages/server/src/resources/(${names.join("|")})/`;

const upward = resources.slice(0, -1).map((name, i) => ({
  name: `${name}-imports-downward-only`,
  severity: "error",
  from: { path: slice([name]), pathNot: "\\.test\\.ts$" },
  to: { path: slice(resources.slice(i + 1)) },
}));

export default {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    { name: "contract-is-leaf", severity: "error", from: { path: "^packages/contract/" }, to: { path: "^packages/(server|client|cli|console)/" } },
    { name: "not-into-server", severity: "error", from: { path: "^packages/(client|cli|console)/" }, to: { path: "^packages/server/" } },
    { name: "platform-imports-no-resource", severity: "error", from: { path: "^packages/server/src/platform/" }, to: { path: "^packages/server/src/(resources|processors|app|worker|main)" } },
    { name: "processors-import-no-resource", severity: "error", from: { path: "^packages/server/src/processors/", pathNot: "\\.test\\.ts$" }, to: { path: "^packages/server/src/(resources|app|worker|main)" } },
    { name: "only-config-reads-the-environment-file", severity: "error", from: { path: "^packages/server/src/resources/" }, to: { path: "^packages/server/src/main" } },
    { name: "nobody-imports-webhooks-or-alerts", severity: "error", from: { path: slice(resources), pathNot: "\\.test\\.ts$" }, to: { path: slice(onTop) } },
    ...upward,
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(dist|packages/client/src/generated)" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["@rowmill/source", "import", "default"], extensions: [".ts", ".js"] },
  },
};
