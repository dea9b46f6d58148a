/**
 * Private directories for work that needs files: one for each claim on an upload or a provider's batch, removed with it. The
 * name shows whose it is: `<organization>.<resource>.<claim number>.<random>`.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

export type WorkKind = "batches" | "intake";

export interface WorkClaim {
  organizationId: string;
  /** Of the resource that is worked on. */
  id: string;
  claimNo: number;
}

/** The path is absolute, since child processes with another working directory use it. */
export async function makeWorkDirectory(dataDirectory: string, kind: WorkKind, claim: WorkClaim): Promise<string> {
  const name = [claim.organizationId, claim.id, claim.claimNo, randomUUID()].join(".");
  const directory = join(rootOf(dataDirectory, kind), name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

export async function inWorkDirectory<T>(
  dataDirectory: string,
  kind: WorkKind,
  claim: WorkClaim,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await makeWorkDirectory(dataDirectory, kind, claim);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes what workers that died have left: directories whose claim is over. */
export async function sweepWorkDirectories(
  dataDirectory: string,
  kind: WorkKind,
  isCurrent: (claim: WorkClaim) => Promise<boolean>,
): Promise<void> {
  const root = rootOf(dataDirectory, kind);
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const claim = claimOf(name);
    if (claim !== undefined && !(await isCurrent(claim))) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** Longer than a directory without a claim is kept by a process that lives. */
const UNCLAIMED_MS = 3_600_000;

/** The same for directories in which a file has the name of the claim: of those in which none has one, the old ones. */
export async function sweepLinkedDirectories(
  root: string,
  isCurrent: (claim: WorkClaim) => Promise<boolean>,
): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const directory = join(root, name);
    // It may be removed meanwhile, by the process that has made it.
    const claims = (await readdir(directory).catch(() => [])).flatMap((entry) => claimOf(entry) ?? []);
    const [claim] = claims;
    const madeMs = (await stat(directory).catch(() => undefined))?.mtimeMs ?? Date.now();
    const isInUse = claim === undefined ? Date.now() - madeMs < UNCLAIMED_MS : await isCurrent(claim);
    if (!isInUse) await rm(directory, { recursive: true, force: true });
  }
}

function claimOf(name: string): WorkClaim | undefined {
  const [, organizationId, id, claimNo] = DIRECTORY_NAME.exec(name) ?? [];
  return organizationId === undefined || id === undefined
    ? undefined
    : { organizationId, id, claimNo: Number(claimNo) };
}

const DIRECTORY_NAME = /^([0-9a-f-]{36})\.([0-9a-f-]{36})\.(\d+)\.[0-9a-f-]{36}$/;
const rootOf = (dataDirectory: string, kind: WorkKind): string => resolve(dataDirectory, "tmp", kind);
