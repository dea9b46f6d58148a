/** Why the local service does not run, as one sentence and what to do. */
import { Problem } from "../frame/problem.ts";
import type { LocalDirectory } from "./directories.ts";

/** What programs of the service print where nothing more can be written. */
const DISK_FULL = /ENOSPC|No space left on device|Disk quota exceeded/;

/** The first line says what is wrong; what follows it, such as the output of another program, is in the log. */
export function serviceFailed(message: string, directory: Pick<LocalDirectory, "root" | "log">): Problem {
  if (DISK_FULL.test(message))
    return new Problem(
      `The disk is full: the local service cannot write to ${directory.root}.`,
      "Free some space and repeat the command: it goes on where it was.",
      { code: "enospc" },
    );
  const [first = ""] = message.split("\n");
  return new Problem(first.replace(/:$/, "."), `Its log is ${directory.log}.`, { code: "local_service_failed" });
}
