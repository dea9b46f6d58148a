/** What a command is: one file with this export, and one line in `commands.ts`. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Rowmill } from "@rowmill/client";
import type { ExitName } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import type { Terminal } from "./terminal.ts";

/** Options that every command has; the frame adds them. */
export interface CommonOptions {
  json?: true;
  streamJson?: true;
  quiet?: true;
  url?: string;
  profile?: string;
  local?: true;
}

/** The service that a command uses. */
export interface Service {
  url: string;
  apiKey: string;
  rowmill: Rowmill;
  /** The command's own. */
  isLocal: boolean;
  /** It ends after the last command, and what goes on in it waits for the next one. */
  endsWithCommands: boolean;
  /** Rejects when the command's own service ends while it is used. */
  gone: Promise<never>;
}

/** What a command works with. */
export interface Cli {
  readonly version: string;
  /** All there are. */
  readonly commands: readonly CommandEntry[];
  readonly terminal: Terminal;
  /** By the options of the command that runs. */
  readonly output: Output;
  readonly common: Readonly<CommonOptions>;
  /** Aborts with an `Interrupted` at Ctrl-C, unless the command has taken it over with `onInterrupt`. */
  readonly signal: AbortSignal;
  /** Takes Ctrl-C over; a second one ends the process at once. Returns what releases it. */
  onInterrupt(listener: () => void): () => void;
  /** Leaves Ctrl-C and requests to end to what this process runs. */
  leaveSignals(): void;
  /**
   * The service that options, environment or profile name, else the command's own. Throws a problem if there is no service, unless
   * `isMade`: then the command's own is made. Every call returns the same service.
   */
  service(options?: { isMade: boolean }): Promise<Service>;
  /** The client of `service()`. */
  client(options?: { isMade: boolean }): Promise<Rowmill>;
  /** Runs when the command ends, however it ends. */
  atEnd(work: () => void): void;
  /** How the process ends when the command returns; `success` if never called. */
  exitWith(name: ExitName): void;
}

export interface CommandFile {
  /** At least two: the line, and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  create(cli: Cli): CommandUnknownOpts;
}

/** Headings of `rowmill --help`, in this order. */
export type CommandGroup = "Process rows" | "Runs" | "Data and specs" | "Service" | "Notifications" | "Help";

export interface CommandEntry {
  name: string;
  summary: string;
  group: CommandGroup;
  /** Without the name of a command below it, it lists things: `list` may be typed there. */
  isList?: true;
  load: () => Promise<CommandFile>;
}
