/** SQL follows the order of the folders, as imports do: a table belongs to one folder, and only that and what stands above it name it. */
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { resources } from "../.dependency-cruiser.mjs";

const server = "packages/server/src";

/** Folders from the lowest to the highest; rooms of one rank do not know each other's tables. */
const ranks: readonly (readonly string[])[] = [
  ["platform"],
  ["processors"],
  ...resources.map((name) => [`resources/${name}`]),
  ["engine", "delivery", "intake"],
  [""],
];

const owners: Record<string, string> = {
  alert_candidates: "resources/alert-rules",
  alert_deliveries: "resources/alert-rules",
  alert_rules: "resources/alert-rules",
  api_keys: "resources/api-keys",
  audit_events: "resources/audit-events",
  bulk_action_targets: "resources/bulk-actions",
  bulk_actions: "resources/bulk-actions",
  connections: "resources/connections",
  dataset_chunks: "resources/datasets",
  dataset_counts: "resources/organizations",
  dataset_uploads: "resources/dataset-uploads",
  datasets: "resources/datasets",
  denied_attempts: "resources/audit-events",
  event_listeners: "resources/events",
  event_logs: "resources/events",
  events: "resources/events",
  exports: "resources/exports",
  idempotency_keys: "platform",
  installation: "platform",
  invitations: "resources/invitations",
  job_spec_versions: "resources/job-specs",
  job_specs: "resources/job-specs",
  limiters: "processors",
  list_labels: "platform",
  login_links: "resources/sessions",
  low_space_reports: "engine",
  members: "resources/invitations",
  organizations: "resources/organizations",
  provider_batches: "resources/runs",
  rate_limit_buckets: "platform",
  row_cache: "resources/runs",
  run_budgets: "resources/runs",
  run_chunks: "resources/runs",
  run_failures: "resources/runs",
  run_row_keys: "engine",
  run_segments: "resources/runs",
  runs: "resources/runs",
  sessions: "resources/sessions",
  storage_usage: "resources/organizations",
  usage_days: "resources/usage",
  webhook_deliveries: "resources/webhook-deliveries",
  webhook_endpoints: "resources/webhook-endpoints",
};

/** Files that look upward, with the tables and the reason. None is added without one. */
const exceptions: Record<string, { tables: string[]; reason: string }> = {
  "platform/database/bind-servers.ts": {
    tables: ["run_chunks"],
    reason: "an insert of no rows into a distributed table makes a cluster commit in two phases",
  },
  "platform/database/distribute.ts": {
    tables: ["run_chunks"],
    reason: "whether a role reaches the servers with the large tables is asked of one of these tables, without a row",
  },
  "platform/database/key-check.ts": {
    tables: ["api_keys", "organizations"],
    reason: "what is known of a key is confirmed by what binds a request's first statement to the organization",
  },
  "platform/http/open-requests.ts": {
    tables: ["api_keys", "organizations", "sessions"],
    reason: "what is open is ended a second after its key or session has lost its right, in one query for all of them",
  },
  "resources/api-keys/authenticate.ts": {
    tables: ["sessions"],
    reason: "a browser's session stands for its key, and one query finds both",
  },
  "resources/audit-events/audit-events.ts": {
    tables: ["organizations"],
    reason: "the list of an organization that does not exist is refused",
  },
  "resources/connections/unfinished-runs.ts": {
    tables: ["job_spec_versions", "runs"],
    reason: "a connection that an unfinished run needs is not deleted, and such runs are woken by a new secret",
  },
  "resources/connections/wake-rows.ts": {
    tables: ["run_chunks"],
    reason: "rows that wait for what a provider has said of a secret are due when it is another one",
  },
  "resources/datasets/datasets.ts": {
    tables: ["dataset_uploads", "runs"],
    reason: "a dataset that an unfinished run reads is not deleted, and leaves no row in the errors of its upload",
  },
  "resources/events/events.ts": {
    tables: ["alert_rules", "runs", "webhook_endpoints"],
    reason: "an event is recorded with who listens at that moment, and counted on its run",
  },
  "resources/organizations/show-organizations.ts": {
    tables: ["api_keys", "runs", "usage_days", "webhook_endpoints"],
    reason: "an organization shows what it uses of its limits",
  },
  "resources/usage/usage.ts": {
    tables: ["job_spec_versions"],
    reason: "what was used is added up by the models that versions of job specs name",
  },
  "resources/webhook-endpoints/disabling.ts": {
    tables: ["webhook_deliveries"],
    reason: "an endpoint that is disabled or deleted takes along what waits for it",
  },
};

const migrations = globSync(`${server}/platform/database/migrations/*.sql`).map((file) => readFileSync(file, "utf8"));
const named = (pattern: RegExp): string[] =>
  migrations.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => String(name)));
const dropped = named(/drop table (?:if exists )?([a-z_]+)/g);
const tables = new Set(
  named(/create (?:unlogged )?table (?:if not exists )?([a-z_]+)/g).filter((name) => !dropped.includes(name)),
);
const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
const byCamelCase = new Map([...tables].map((name) => [camelCase(name), name]));

const folderOf = (file: string): string => {
  const folder = dirname(file).slice(server.length + 1);
  return ranks.flat().find((name) => name !== "" && (folder === name || folder.startsWith(`${name}/`))) ?? "";
};
const rankOf = (folder: string): number => ranks.findIndex((names) => names.includes(folder));

function tablesIn(text: string): Set<string> {
  const inBuilder = [...text.matchAll(/(?:From|Table|Into|Join|\busing|\bfrom)\(\s*\[?"(\w+)/g)].map(
    ([, name]) => byCamelCase.get(String(name)) ?? "",
  );
  const inSql = [...text.matchAll(/\b(?:from|join|update|into|using)\s+(?:only\s+)?([a-z_]+)\b/g)].map(([, name]) =>
    String(name),
  );
  return new Set([...inBuilder, ...inSql].filter((name) => tables.has(name)));
}

const uses = globSync(`${server}/**/*.ts`)
  .filter((file) => !/\.test\.ts$|[/-]testing[/.]|\/testing\//.test(file))
  .map((file) => ({ file, tables: tablesIn(readFileSync(file, "utf8")) }));
/** A table of the folder itself or of one that stands below it. */
function mayUse(file: string, table: string): boolean {
  const owner = owners[table] ?? "";
  const folder = folderOf(file);
  return owner === folder || rankOf(owner) < rankOf(folder);
}

test("tables of the queue are named where the queue is, and in the migrations that have a function on them", () => {
  const named = globSync(`${server}/**/*.{ts,sql}`)
    .filter((file) => !file.endsWith(".test.ts") && /\bpgboss\b/.test(readFileSync(file, "utf8")))
    .map((file) => file.slice(server.length + 1))
    .filter((file) => !file.startsWith("platform/queue/"));
  expect(named.toSorted()).toEqual([
    "platform/database/migrations/0039-fair-lines.sql",
    "platform/database/migrations/0048-front-of-served-jobs.sql",
  ]);
});

test("every table belongs to a folder that exists", () => {
  expect(Object.keys(owners).toSorted()).toEqual([...tables].toSorted());
  expect(Object.values(owners).filter((owner) => rankOf(owner) === -1)).toEqual([]);
});

test("SQL names tables of its own folder and of those below, but for what is listed", () => {
  const upward = uses
    .map(
      ({ file, tables: used }) =>
        [file.slice(server.length + 1), [...used].filter((table) => !mayUse(file, table)).toSorted()] as const,
    )
    .filter(([, found]) => found.length > 0);
  expect(Object.fromEntries(upward)).toEqual(
    Object.fromEntries(Object.entries(exceptions).map(([file, { tables: listed }]) => [file, listed])),
  );
});
