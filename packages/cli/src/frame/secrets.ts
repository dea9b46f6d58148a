/** Secrets that the service shows once: printed, or written to a file that only its owner can read. */
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import type { Cli } from "./command.ts";
import { usageProblem } from "./problem.ts";

export const saveOption = () => new Option("--save <file>", "write the secret to a new file instead of the screen");

interface Made<T> {
  make: () => Promise<T>;
  /** The member that is the secret. */
  member: keyof T & string;
  say: (made: T) => string;
}

/** The file is there before the secret is made: one that cannot be written would be lost. */
export async function makeSecret<T extends object>(
  cli: Cli,
  file: string | undefined,
  { make, member, say }: Made<T>,
): Promise<void> {
  const opened = file === undefined ? undefined : openNew(file);
  let made: T;
  try {
    made = await make();
    if (opened !== undefined) ftruncateSync(opened, writeSync(opened, `${String(made[member] ?? "")}\n`, 0));
  } catch (error) {
    if (file !== undefined) rmSync(file, { force: true });
    throw error;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
  const secret = made[member];
  if (file === undefined)
    return cli.output.result(made, () =>
      typeof secret === "string" ? `${say(made)}\n\n${secret}\n\nIt is shown this once.` : say(made),
    );
  const shown = Object.fromEntries(Object.entries(made).filter(([name]) => name !== member));
  cli.output.result({ ...shown, savedTo: file }, () => `${say(made)}\nIts secret is in ${file}.`);
}

/** Longer than any secret of the service. */
const RESERVED_BYTES = 4096;

/**
 * A file that exists is not touched: a secret in it may be in use. Its space is taken before the secret is made: a disk that is full
 * afterwards would lose it.
 */
function openNew(file: string): number {
  try {
    const opened = openSync(file, "wx", 0o600);
    try {
      writeSync(opened, " ".repeat(RESERVED_BYTES), 0);
      return opened;
    } catch (error) {
      closeSync(opened);
      rmSync(file, { force: true });
      throw error;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw usageProblem(`${file} exists.`, "Choose another path with --save; a secret in it may be in use.");
    throw error;
  }
}
