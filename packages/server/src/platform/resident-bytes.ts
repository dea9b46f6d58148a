import { readFile } from "node:fs/promises";

/** Size of a memory page of /proc/<pid>/statm. */
const PAGE_BYTES = 4096;

/** 0 where there is no /proc: there only the limit of the heap holds. */
export async function readResidentBytes(pid: number | undefined): Promise<number> {
  const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "");
  return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
}
