/**
 * The keys of each screen, beside those that work everywhere. A screen binds those of its own, and the sheet of `?` lists all of them.
 * What has no key is in Cmd+K.
 */
import type { Scope } from "./session.ts";
import type { Shortcut } from "./shortcuts.ts";

export interface ScreenKey {
  keys: string;
  label: string;
  /** A person who lacks it is not shown the key. */
  scope?: Scope;
}

export interface ScreenWithKeys {
  /** As the sheet shows it. */
  title: string;
  path: RegExp;
  keys: Readonly<Record<string, ScreenKey>>;
  /** Only for the operator's key; if absent, only for that of an organization. */
  isForOperator?: true;
}

/** In the order of the navigation. */
export const screens = {
  runs: {
    title: "Runs",
    path: /^\/runs$/,
    keys: {
      start: { keys: "c", label: "Start a run", scope: "runs:write" },
      bulk: { keys: "b", label: "Act on all runs that match", scope: "runs:write" },
      showNew: { keys: "n", label: "Show new runs", scope: "runs:read" },
    },
  },
  run: {
    title: "A run",
    path: /^\/runs\/(?!new$)/,
    keys: {
      rows: { keys: "1", label: "Show the rows", scope: "runs:read" },
      failures: { keys: "2", label: "Show the failures", scope: "runs:read" },
      resolved: { keys: "3", label: "Show the resolved results", scope: "runs:read" },
      exports: { keys: "4", label: "Show the exports", scope: "runs:read" },
      events: { keys: "5", label: "Show the events", scope: "runs:read" },
      lineage: { keys: "6", label: "Show the lineage", scope: "runs:read" },
      spec: { keys: "7", label: "Show the job spec", scope: "runs:read" },
      pause: { keys: "p", label: "Pause the run", scope: "runs:write" },
      resume: { keys: "p", label: "Resume the run", scope: "runs:write" },
      adjust: { keys: "a", label: "Adjust budget, speed and priority", scope: "runs:write" },
      cancel: { keys: "c", label: "Cancel the run", scope: "runs:write" },
      retry: { keys: "r", label: "Retry rows of the run", scope: "runs:write" },
    },
  },
  datasets: {
    title: "Datasets",
    path: /^\/datasets$/,
    keys: { upload: { keys: "c", label: "Choose a file to upload", scope: "datasets:write" } },
  },
  dataset: {
    title: "A dataset",
    path: /^\/datasets\//,
    keys: {
      run: { keys: "r", label: "Start a run on the dataset", scope: "runs:write" },
      jobSpec: { keys: "s", label: "New job spec for the dataset", scope: "job_specs:write" },
    },
  },
  jobSpecs: {
    title: "Job specs",
    path: /^\/job-specs$/,
    keys: { create: { keys: "c", label: "New job spec", scope: "job_specs:write" } },
  },
  connections: {
    title: "Connections",
    path: /^\/connections$/,
    keys: { create: { keys: "c", label: "New connection", scope: "connections:write" } },
  },
  webhooks: {
    title: "Webhooks",
    path: /^\/webhooks$/,
    keys: { create: { keys: "c", label: "New webhook endpoint", scope: "webhooks:write" } },
  },
  webhook: {
    title: "A webhook endpoint",
    path: /^\/webhooks\//,
    keys: {
      test: { keys: "t", label: "Send a test event", scope: "webhooks:write" },
      change: { keys: "e", label: "Change the endpoint", scope: "webhooks:write" },
    },
  },
  alerts: {
    title: "Alerts",
    path: /^\/alerts$/,
    keys: { create: { keys: "c", label: "New alert rule", scope: "alerts:write" } },
  },
  alert: {
    title: "An alert rule",
    path: /^\/alerts\//,
    keys: {
      test: { keys: "t", label: "Send a test alert", scope: "alerts:write" },
      change: { keys: "e", label: "Change the rule", scope: "alerts:write" },
    },
  },
  members: {
    title: "Members and keys",
    path: /^\/members$/,
    keys: {
      invite: { keys: "i", label: "Invite somebody", scope: "invitations:write" },
      createKey: { keys: "c", label: "New API key", scope: "api_keys:write" },
    },
  },
  organizations: {
    title: "Organizations",
    path: /^\/organizations$/,
    keys: { create: { keys: "c", label: "New organization" } },
    isForOperator: true,
  },
} as const satisfies Record<string, ScreenWithKeys>;

export const bind = ({ keys, label }: ScreenKey, run: () => void): Shortcut => ({ keys, label, run });
