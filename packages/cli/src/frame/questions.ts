/** Questions to a person. Nothing is asked where nobody can reply: the caller decides what happens then. */
import { Interrupted } from "./problem.ts";
import type { Terminal } from "./terminal.ts";

/** `undefined` where nobody can be asked. */
export async function askYesNo(terminal: Terminal, question: string, initial: boolean): Promise<boolean | undefined> {
  if (!terminal.isInteractive) return undefined;
  const { confirm, isCancel } = await import("@clack/prompts");
  const response = await confirm({ message: question, initialValue: initial, output: terminal.stderr });
  if (isCancel(response)) throw new Interrupted();
  return response;
}
