/** Every command: its name, its line in the help, and the file that is read when it is used. */
import type { CommandFile } from "./frame/command.ts";

export interface CommandEntry {
  name: string;
  summary: string;
  load: () => Promise<CommandFile>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: "map",
    summary: "process every row of a file: a model, a request or your code for each",
    load: async () => (await import("./commands/map.ts")).map,
  },
  {
    name: "runs",
    summary: "list the latest runs",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "server",
    summary: "start the service in this terminal",
    load: async () => (await import("./commands/server.ts")).server,
  },
  {
    name: "stop",
    summary: "end the local service that `map --keep` has left running",
    load: async () => (await import("./commands/stop.ts")).stop,
  },
  {
    name: "whoami",
    summary: "show which service and key the commands use",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
];
