/**
 * What each of the service's roles may do with each table; undefined is nothing. None of them owns a table, so row-level security
 * holds for all three: a request and a task see the rows of their organization, the service's own statements see all rows, but of the
 * contents of customers' rows (`dataset_chunks`, `run_segments`, `run_failures`, `row_cache`) no column.
 */
import type { Tables } from "./tables.ts";

export const roleNames = ["tenant", "task", "service"] as const;

/**
 * `tenant`: requests of an organization's key. `task`: what a task does for an organization, once it knows for which. `service`: what
 * spans organizations (claims, sweeps, retention, metrics), the admin, and what comes before it is known who asks.
 */
export type RoleName = (typeof roleNames)[number];

type Rights = Partial<Record<RoleName, string>>;

const ALL = "select, insert, update, delete";

export const rights: Record<keyof Tables, Rights> = {
  installation: { service: ALL },
  // Any column to be updated allows the row to be locked. Its state and limits are the admin's.
  organizations: {
    tenant: "select, update (name, metadata, updated_at)",
    task: "select, update (updated_at)",
    service: ALL,
  },
  apiKeys: { tenant: "select, insert, update", task: "select", service: ALL },
  // Signing in happens before it is known who asks.
  sessions: { tenant: "select, delete", service: ALL },
  loginLinks: { service: ALL },
  invitations: { tenant: "select, insert, update", task: "select, update", service: ALL },
  members: { tenant: "select, insert, update", service: ALL },
  // Tasks mark transactions there (`transactionOnce`), and read no response.
  idempotencyKeys: { tenant: "select, insert, update", task: "insert", service: ALL },
  auditEvents: { tenant: "select, insert", task: "insert", service: ALL },
  deniedAttempts: { service: ALL },
  events: { tenant: "select, insert", task: "select, insert", service: ALL },
  eventLogs: { tenant: "select", service: ALL },
  eventListeners: { task: "select", service: ALL },
  // What a bulk action does for its key, it does as requests of the organization.
  bulkActions: { tenant: "select, insert, update", service: ALL },
  bulkActionTargets: { tenant: ALL, service: ALL },
  datasets: { tenant: "select, insert, update", task: "select, update, delete", service: ALL },
  datasetChunks: { tenant: "select, insert", task: "select, insert, delete" },
  datasetUploads: { tenant: "select, insert, update", task: "select, update, delete", service: ALL },
  jobSpecs: { tenant: "select, insert, update", task: "select", service: ALL },
  jobSpecVersions: { tenant: "select, insert", task: "select", service: ALL },
  // By triggers of what is labelled.
  listLabels: { tenant: "select, insert, delete", task: "select, insert, delete", service: ALL },
  runs: { tenant: "select, insert, update", task: "select, update, delete", service: ALL },
  // The task that starts a run, or ends one before its start, writes its chunks.
  runChunks: { tenant: "select, insert, update", task: ALL, service: ALL },
  runSegments: { tenant: "select", task: "select, insert, delete" },
  runFailures: { tenant: "select", task: "select, insert, delete" },
  // A run that ends asks for its batches to be canceled.
  providerBatches: { tenant: "select, update", task: ALL, service: ALL },
  // What a run has spent counts when it gets a budget; what is set aside is the business of those who call.
  runBudgets: { tenant: "select, insert, update (spent_usd)", task: ALL, service: ALL },
  // The service finds and deletes what is past its time. Dry runs look up which rows it has, and not their outputs.
  rowCache: {
    tenant: "select (organization_id, key, expires_at)",
    task: "select, insert, update",
    service: "select (organization_id, key, expires_at), delete",
  },
  runRowKeys: { task: ALL, service: "select (organization_id, run_id)" },
  // A test of a job spec accounts for its calls itself.
  usageDays: { tenant: "select, insert", task: "select, insert, update", service: ALL },
  webhookEndpoints: { tenant: "select, insert, update", task: "select, update", service: ALL },
  webhookDeliveries: { tenant: "select, insert, update", task: "select, update", service: ALL },
  exports: { tenant: "select, insert, update", task: "select, update", service: ALL },
  alertRules: { tenant: "select, insert, update", task: "select, update", service: ALL },
  alertCandidates: { tenant: "select, delete", task: "select, delete", service: ALL },
  alertDeliveries: { tenant: "select, insert, update", task: "select, insert, update", service: ALL },
  connections: { tenant: "select, insert, update", task: "select", service: ALL },
  // What was learned of a secret is forgotten with it, and once more by the task that wakes its rows.
  limiters: { tenant: "select, delete", task: ALL, service: ALL },
  // Triggers count with the rights of the role that stores.
  storageUsage: { tenant: "select, insert, update", task: "select, insert, update", service: ALL },
  // Triggers count with the rights of the owner; the sums are made right by a task.
  datasetCounts: { tenant: "select", task: "select, insert, update", service: ALL },
  lowSpaceReports: { service: ALL },
};

const toSqlName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Statements, for the owner of the tables. `role` is quoted. */
export function statementsToGrant(name: RoleName, role: string): string {
  const grants = Object.entries(rights).map(([table, of]) =>
    of[name] === undefined ? "" : `grant ${of[name]} on ${toSqlName(table)} to ${role};`,
  );
  // Its statements are text alone.
  if (name === "service") grants.push(`grant ${ALL} on rate_limit_buckets to ${role};`);
  return grants.join("\n");
}
