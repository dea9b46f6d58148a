/** Questions to a person. Nothing is asked where nobody can reply: the caller decides what happens then. */
import { createInterface } from "node:readline";
import type { Interface } from "node:readline";
import { harmlessText } from "./harmless-text.ts";
import { Interrupted } from "./problem.ts";
import type { Terminal } from "./terminal.ts";

/** Enter is `initial`, the reply in capitals. `undefined` where nobody can be asked. */
export async function askYesNo(terminal: Terminal, question: string, initial: boolean): Promise<boolean | undefined> {
  if (!terminal.isInteractive) return undefined;
  const prompt = harmlessText(`${question} ${initial ? "[Y/n]" : "[y/N]"} `);
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr });
  const left = leaving(lines);
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

/** Ctrl-C and Ctrl-D are no replies: they end the command. Never resolves. */
function leaving(lines: Interface): Promise<never> {
  const left = new Promise<never>((_, reject) => {
    for (const event of ["SIGINT", "close"]) lines.once(event, () => reject(new Interrupted()));
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
