/** A command in this process, for what needs no terminal and no process of its own: many of them in a second. */
import { Readable, Writable } from "node:stream";
import { commands } from "../commands.ts";
import { runCli } from "../frame/run-command.ts";
import type { Terminal } from "../frame/terminal.ts";
import { withoutWaiting } from "./without-waiting.ts";

export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Typed {
  environment: Readonly<Record<string, string | undefined>>;
  directory: string;
  stdin?: string | undefined;
}

export async function typeCommand({ environment, directory, stdin }: Typed, ...args: string[]): Promise<Said> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const terminal = terminalWith({ stdin, stdout, stderr, environment, directory });
  const code = await runCli(commands, args, terminal, "0.0.0-test");
  return { code, stdout: stdout.text, stderr: withoutWaiting(stderr.text) };
}

/** Nobody watches it, and it has no colors. */
export const terminalWith = ({
  stdin,
  stdout,
  stderr,
  environment,
  directory,
}: Typed & { stdout: Writable; stderr: Writable }): Terminal => ({
  stdin: Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]) as unknown as NodeJS.ReadStream, // all that is read of it
  stdout: stdout as unknown as NodeJS.WriteStream, // all that is used of it
  stderr: stderr as unknown as NodeJS.WriteStream,
  environment,
  directory,
  isInteractive: false,
  isWatched: false,
  columns: 80,
  style: (_stream, _style, text) => text,
});

export class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
