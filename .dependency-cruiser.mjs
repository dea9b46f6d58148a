/** The written order of the server's resources: a resource imports only those before it. */
export const resources = [
  "reference",
  "audit-events",
  "events",
  "organizations",
  "api-keys",
  "invitations",
  "sessions",
  "model-prices",
  "connections",
  "datasets",
  "dataset-uploads",
  "usage",
  "job-specs",
  "runs",
  "exports",
  "bulk-actions",
  "webhook-endpoints",
  "webhook-deliveries",
  "alert-rules",
];
/** What flows through each: a row, an event, the bytes of an upload. They import resources, and not each other. */
export const rooms = ["engine", "delivery", "intake"];
/** The written order within a room: a folder imports only those before it. */
const withinRooms = {
  engine: ["rows", "policies", "chunks", "lanes", "provider-batches"],
  delivery: ["fan-out", "claims", "webhooks", "alerts", "streams"],
};

/** A folder may have a `…-testing.ts` with what its tests share; a package a folder `testing`. */
export const tests = "(\\.test\\.ts$|[/-]testing\\.ts$|^packages/(server|cli)/src/testing/|^tests/)";
const roles = "^packages/server/src/((app|app-errors|operations|worker|reconcilers|start-service|main)\\.ts$|start/)";
const anyRoom = `^packages/server/src/(${rooms.join("|")})/`;
const slice = (names) => `^packages/server/src/resources/(${names.join("|")})/`;
const within = (room, names) => `^packages/server/src/${room}/(${names.join("|")})/`;

/** One rule for each name but the last: what stands before imports nothing that stands after. */
function downwardOnly(names, rule, path) {
  return names
    .slice(0, -1)
    .map((name, i) => forbid(rule(name), { path: path([name]), pathNot: tests }, { path: path(names.slice(i + 1)) }));
}

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

    // In the server: main → start-service → app, worker → engine | delivery | intake → resources → processors → platform.
    forbid("main-is-the-top", { path: "^packages/", pathNot: tests }, { path: "^packages/server/src/main\\.ts$" }),
    forbid("rooms-import-no-role", { path: anyRoom, pathNot: tests }, { path: roles }),
    forbid(
      "rooms-import-no-other-room",
      { path: "^packages/server/src/(engine|delivery|intake)/", pathNot: tests },
      { path: anyRoom, pathNot: "^packages/server/src/$1/" },
    ),
    forbid("resources-import-no-room-or-role", { path: "/src/resources/", pathNot: tests }, { path: [anyRoom, roles] }),
    forbid(
      "services-know-no-user",
      { path: "^packages/server/src/(services|config)\\.ts$" },
      { path: ["^packages/server/src/resources/", anyRoom, roles] },
    ),
    forbid(
      "processors-import-no-resource",
      { path: "^packages/server/src/processors/", pathNot: tests },
      { path: ["^packages/server/src/resources/", anyRoom, roles] },
    ),
    // Templates and limits are for all processors; every other folder of theirs is one processor, known by its traits.
    forbid(
      "a-processor-is-known-by-its-traits",
      { path: "^packages/server/src/", pathNot: [tests, "^packages/server/src/processors/"] },
      { path: "^packages/server/src/processors/(?!limiter/|templates/)[^/]+/" },
    ),
    forbid(
      "platform-imports-no-resource",
      { path: "^packages/server/src/platform/", pathNot: tests },
      { path: ["^packages/server/src/(resources|processors)/", anyRoom, roles] },
    ),
    // Which store is in use is known in one place.
    forbid(
      "stores-are-opened-in-one-place",
      { path: "^packages/", pathNot: [tests, "^packages/server/src/platform/storage/"] },
      { path: "^packages/server/src/platform/storage/(s3/|file-store\\.ts$|partial-files\\.ts$)" },
    ),
    forbid(
      "one-folder-knows-s3",
      { path: "^packages/", pathNot: [tests, "^packages/server/src/platform/storage/s3/"] },
      { path: "node_modules/@(aws-sdk|smithy)/" },
    ),
    forbid(
      "s3-is-loaded-when-used",
      { path: "^packages/server/src/platform/storage/[^/]+$", pathNot: tests },
      { path: "^packages/server/src/platform/storage/s3/", dependencyTypesNot: ["dynamic-import"] },
    ),
    // What few installations or messages need would be a fifth of the work of every start.
    forbid(
      "rare-parts-are-loaded-when-used",
      {
        path: "^packages/server/src/",
        pathNot: [
          tests,
          "^packages/server/src/mcp/(?!serve-mcp\\.ts$)",
          "^packages/server/src/platform/(conditions/condition(-worker)?|mail/mailer)\\.ts$",
        ],
      },
      {
        path: [
          "^packages/server/src/(mcp/(protocol|tools?|tasks)|platform/(conditions/condition|mail/mailer))\\.ts$",
          "node_modules/(@modelcontextprotocol|@bufbuild|nodemailer)/",
        ],
        dependencyTypesNot: ["dynamic-import", "type-only"],
      },
    ),
    forbid(
      "tools-for-agents-go-through-operations",
      { path: "^packages/server/src/mcp/", pathNot: tests },
      { path: ["^packages/server/src/(resources|processors)/", anyRoom, roles] },
    ),
    forbid("testing-is-for-tests", { path: "^packages/", pathNot: tests }, { path: "^packages/server/src/testing/" }),

    // Within a slice: handlers → resource ← tasks.
    forbid(
      "handlers-belong-to-the-operations",
      { path: "^packages/server/", pathNot: [tests, "^packages/server/src/operations\\.ts$"] },
      { path: "/src/(resources|delivery|intake)/.*-handlers\\.ts$" },
    ),
    forbid(
      "tasks-belong-to-the-worker",
      { path: "/src/(resources|engine|delivery|intake)/", pathNot: [tests, "\\.tasks\\.ts$"] },
      { path: "\\.tasks\\.ts$" },
    ),

    // Between slices, and within rooms: downward in the written order.
    ...downwardOnly(resources, (name) => `${name}-imports-downward-only`, slice),
    ...Object.entries(withinRooms).flatMap(([room, names]) =>
      downwardOnly(
        names,
        (name) => `${room}-${name}-imports-downward-only`,
        (some) => within(room, some),
      ),
    ),
  ],
  options: {
    // Without it, dependency-cruiser looks for the classic TypeScript API, finds none and sees no module at all.
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist[.0-9]*|node_modules/\\.cache)/|^packages/client/src/generated/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@rowmill/source", "import", "default"],
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
