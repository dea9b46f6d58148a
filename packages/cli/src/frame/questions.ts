/** Questions to a person. Nothing is asked where nobody can reply: the caller decides what happens then. */
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { harmlessText } from "./harmless-text.ts";
import { Interrupted } from "./problem.ts";
import type { Cli } from "./command.ts";

/** Enter is `initial`, the reply in capitals. `undefined` where nobody can be asked. */
export async function askYesNo(
  { terminal, signal }: Pick<Cli, "terminal" | "signal">,
  question: string,
  initial: boolean,
): Promise<boolean | undefined> {
  if (!terminal.isInteractive) return undefined;
  const prompt = harmlessText(`${question} ${initial ? "[Y/n]" : "[y/N]"} `);
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
  const left = leaving(lines, signal);
  try {
    for (;;) {
      const line = new Promise<string>((resolve) => {
        lines.question(prompt, resolve);
      });
      const reply = replyIn(await Promise.race([line, left]), initial);
      if (reply !== undefined) return reply;
    }
  } catch (error) {
    // What is said next begins on a line of its own.
    terminal.stderr.write("\n");
    throw error;
  } finally {
    lines.close();
  }
}

/** Ctrl-C, Ctrl-D and a signal to the process are no replies: they end the command. Never resolves. */
function leaving(lines: Interface, signal: AbortSignal): Promise<never> {
  const left = new Promise<never>((_, reject) => {
    const leave = (): void => reject(new Interrupted());
    for (const event of ["SIGINT", "close"]) lines.once(event, leave);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
  left.catch(() => undefined); // nobody waits for it once the question has its reply
  return left;
}

/** `undefined` where it is neither: the question is asked again. */
function replyIn(line: string, initial: boolean): boolean | undefined {
  const reply = line.trim().toLowerCase();
  if (reply === "") return initial;
  if (reply === "y" || reply === "yes") return true;
  return reply === "n" || reply === "no" ? false : undefined;
}
