/** The folder of a run of the tests for all of its temporary files: in memory where there is much of it. */
import { chmod, mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** The magic number of tmpfs in `statfs(2)`. */
const TMPFS = 0x0102_1994;
/** Several times what all tests together have there at once, beside the memory that their processes need. */
const MIN_BYTES = 8 * 2 ** 30;

/**
 * Every database of a test has 650 files, and a file system on a disk takes longer to make and to remove them than PostgreSQL takes for the
 * statements of a small test: ext4 without a journal looks through everything that was removed in the last minute.
 */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join((await hasMemory()) ? MEMORY : tmpdir(), "rowmill-tests-"));
  // As /tmp: some tests run our code as other users.
  await chmod(folder, 0o1777);
  return folder;
}

/** Containers often have 64 MB there. Who names a place for temporary files gets them there. */
async function hasMemory(): Promise<boolean> {
  if (process.platform !== "linux" || process.env["TMPDIR"] !== undefined) return false;
  const found = await statfs(MEMORY).catch(() => undefined);
  return found?.type === TMPFS && Math.min(found.bavail * found.bsize, process.availableMemory()) >= MIN_BYTES;
}
