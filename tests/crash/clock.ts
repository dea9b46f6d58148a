/**
 * A clock that jumps, for the processes of a deployment: libfaketime (Debian: `apt-get install libfaketime`), and a file with the offset.
 */
import { existsSync, globSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";

/** Names the library where it is not installed: the packages may be unpacked anywhere. */
const LIBRARY_VARIABLE = "ROWMILL_TEST_FAKETIME";
/** Node has threads. */
const LIBRARY_NAME = "faketime/libfaketimeMT.so.1";

function findLibrary(): string | undefined {
  const named = process.env[LIBRARY_VARIABLE];
  if (named !== undefined) return named;
  return globSync(`/usr/lib/{*/,}${LIBRARY_NAME}`).find((path) => existsSync(path));
}

export const clockMissing = (): string | undefined =>
  findLibrary() === undefined ? "libfaketime is not installed (Debian: apt-get install libfaketime)" : undefined;

export interface Clock {
  environment: Record<string, string>;
  jumpTo(offsetSeconds: number): Promise<void>;
}

/** Undefined without the library. Timers go by a clock that no one sets, and are left alone, as on a real machine. */
export async function createClock(file: string): Promise<Clock | undefined> {
  const library = findLibrary();
  if (library === undefined) return undefined;
  const jumpTo = async (offsetSeconds: number): Promise<void> => {
    await writeFile(`${file}.next`, `${offsetSeconds < 0 ? "" : "+"}${offsetSeconds}\n`, { mode: 0o644 });
    await rename(`${file}.next`, file);
  };
  await jumpTo(0);
  return {
    jumpTo,
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    },
  };
}
