/** Every command: its name, its line in the help, and the file that is read when it is used. */
import type { CommandFile } from "./frame/command.ts";

/** Headings of `rowmill --help`, in this order. */
export type CommandGroup = "Process rows" | "Runs" | "Data and specs" | "Service" | "Notifications" | "Help";

export interface CommandEntry {
  name: string;
  summary: string;
  group: CommandGroup;
  load: () => Promise<CommandFile>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: "map",
    summary: "process every row of a file: a model, a request or your code for each",
    group: "Process rows",
    load: async () => (await import("./commands/map.ts")).map,
  },
  {
    name: "run",
    summary: "process a dataset of the service by a job spec",
    group: "Process rows",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "estimate",
    summary: "estimate the cost and time of a run",
    group: "Process rows",
    load: async () => (await import("./commands/estimate.ts")).estimate,
  },
  {
    name: "runs",
    summary: "list and show runs",
    group: "Runs",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "watch",
    summary: "watch a run until it has ended",
    group: "Runs",
    load: async () => (await import("./commands/watch.ts")).watch,
  },
  {
    name: "pause",
    summary: "pause runs",
    group: "Runs",
    load: async () => (await import("./commands/pause.ts")).pause,
  },
  {
    name: "resume",
    summary: "resume paused runs",
    group: "Runs",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "cancel",
    summary: "cancel runs",
    group: "Runs",
    load: async () => (await import("./commands/cancel.ts")).cancel,
  },
  {
    name: "failures",
    summary: "show why rows failed",
    group: "Runs",
    load: async () => (await import("./commands/failures.ts")).failures,
  },
  {
    name: "retry",
    summary: "process rows again that failed",
    group: "Runs",
    load: async () => (await import("./commands/retry.ts")).retry,
  },
  {
    name: "results",
    summary: "print the rows of a run",
    group: "Runs",
    load: async () => (await import("./commands/results.ts")).results,
  },
  {
    name: "export",
    summary: "write a file of a run's rows",
    group: "Runs",
    load: async () => (await import("./commands/export.ts")).exportRun,
  },
  {
    name: "usage",
    summary: "show what runs have used and what it cost",
    group: "Runs",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  {
    name: "upload",
    summary: "make a dataset of a file",
    group: "Data and specs",
    load: async () => (await import("./commands/upload.ts")).upload,
  },
  {
    name: "datasets",
    summary: "list, show and delete datasets",
    group: "Data and specs",
    load: async () => (await import("./commands/datasets.ts")).datasets,
  },
  {
    name: "specs",
    summary: "list, make, try and compare job specs",
    group: "Data and specs",
    load: async () => (await import("./commands/specs.ts")).specs,
  },
  {
    name: "webhooks",
    summary: "list, make and test webhook endpoints",
    group: "Notifications",
    load: async () => (await import("./commands/webhooks.ts")).webhooks,
  },
  {
    name: "alerts",
    summary: "list, make and test alert rules",
    group: "Notifications",
    load: async () => (await import("./commands/alerts.ts")).alerts,
  },
  {
    name: "server",
    summary: "start the service in this terminal",
    group: "Service",
    load: async () => (await import("./commands/server.ts")).server,
  },
  {
    name: "stop",
    summary: "end the local service that `map --keep` has left running",
    group: "Service",
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  {
    name: "whoami",
    summary: "show which service and key the commands use",
    group: "Service",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  {
    name: "keys",
    summary: "list, make and revoke API keys",
    group: "Service",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "api",
    summary: "send a request to the API",
    group: "Service",
    load: async () => (await import("./commands/api.ts")).api,
  },
  {
    name: "open",
    summary: "open a page of the service in the browser",
    group: "Service",
    load: async () => (await import("./commands/open.ts")).open,
  },
  {
    name: "doctor",
    summary: "find out what is wrong",
    group: "Help",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "docs",
    summary: "search the documentation",
    group: "Help",
    load: async () => (await import("./commands/docs.ts")).docs,
  },
  {
    name: "completion",
    summary: "print a script that completes commands in a shell",
    group: "Help",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
];
