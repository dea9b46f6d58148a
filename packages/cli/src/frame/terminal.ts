/** Everything that touches the terminal: what is interactive, what has color, and the streams. */
import { styleText } from "node:util";
import type { ReadStream, WriteStream } from "node:tty";
import { isInForeground } from "./foreground.ts";

export type Style = Parameters<typeof styleText>[0];

export interface Terminal {
  readonly stdin: NodeJS.ReadStream | ReadStream;
  readonly stdout: NodeJS.WriteStream | WriteStream;
  readonly stderr: NodeJS.WriteStream | WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** A person can read a question and reply to it: not where the command is a background job of a shell. */
  readonly isInteractive: boolean;
  /** Somebody watches stderr: lines may be drawn again. */
  readonly isWatched: boolean;
  readonly columns: number;
  /** Colors for `stream`, as NO_COLOR, FORCE_COLOR and the stream itself say. */
  style(stream: "stdout" | "stderr", style: Style, text: string): string;
}

/** What a screen has that does not say how wide it is. */
const DEFAULT_COLUMNS = 80;

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const isPlain = env["TERM"] === "dumb";
  return {
    stdin,
    stdout,
    stderr,
    environment: env,
    directory: process.cwd(),
    // Asked again each time: `fg` and `bg` of the shell change it.
    get isInteractive() {
      return stdin.isTTY && stderr.isTTY && !isPlain && !env["CI"] && isInForeground();
    },
    isWatched: stderr.isTTY && !isPlain,
    get columns() {
      return stderr.columns || DEFAULT_COLUMNS;
    },
    style: (stream, style, text) => styleText(style, text, { stream: process[stream] }),
  };
}
