/**
 * Disks that can be full or lose their power: a file system of its own for a folder, made as root on Linux.
 *
 *   image   ext4 on a loop device. A power cut is the file system's own shutdown without a flush of its log, which the tests of
 *           Linux file systems use: what was not synced is gone, and the next mount replays the log.
 *   memory  tmpfs, for folders that are only ever full
 */
import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, open, rm, statfs, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "./findings.ts";

const run = promisify(execFile);

/** Sparse: it takes what is written. Far above what a campaign writes, the log of the database included. */
const IMAGE_BYTES = 3 * 2 ** 30;
const MEMORY_MEGABYTES = 96;
/** Backends notice the end of their postmaster within a second. */
const UNMOUNT_BOUND_MS = 120_000;
/** `EXT4_IOC_SHUTDOWN` and `EXT4_GOING_FLAGS_NOLOGFLUSH` of Linux. Perl is a part of every Debian, and Node has no ioctl. */
const SHUT_DOWN = 'open(my $f, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die $!';
const BALLAST = "ballast";
const PIECE_BYTES = 4 * 2 ** 20;

export interface Volume {
  path: string;
  /** Until no byte fits any more. The returned function makes room again. */
  fill(): Promise<() => Promise<void>>;
  /** From here on nothing reaches the disk, and reads fail. */
  cutPower(): Promise<void>;
  /** After a power cut, when nobody uses it any more. */
  mountAgain(): Promise<void>;
  /** `endUsers` ends what may still begin to use it. Called before each attempt. */
  unmount(endUsers?: () => Promise<void>): Promise<void>;
}

/** Undefined, or why there can be no volumes here. */
export const volumesMissing = (): string | undefined =>
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "it needs root on Linux, to mount file systems"
    : undefined;

const mounted = new Set<string>();
process.once("exit", unmountAll);

/** Lazily: a process that was just killed may still have one open. */
export function unmountAll(): void {
  for (const path of mounted) execFileSync("umount", ["--lazy", path], { stdio: "ignore" });
  mounted.clear();
}

/** `path` exists; what is in it is hidden by the volume. */
export async function mountImage(path: string, image: string): Promise<Volume> {
  await writeFile(image, "");
  await truncate(image, IMAGE_BYTES);
  await run("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
  return mountVolume(path, () => run("mount", ["-o", "loop", image, path]));
}

export async function mountMemory(path: string): Promise<Volume> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return mountVolume(path, () => run("mount", ["-t", "tmpfs", "-o", `size=${MEMORY_MEGABYTES}m`, "tmpfs", path]));
}

async function mountVolume(path: string, mount: () => Promise<unknown>): Promise<Volume> {
  const attach = async (): Promise<void> => {
    await mount();
    mounted.add(path);
  };
  const unmount = async (endUsers?: () => Promise<void>): Promise<void> => {
    await until(`${path} is unmounted`, UNMOUNT_BOUND_MS, async () => {
      await endUsers?.();
      return run("umount", [path]).then(
        () => true,
        () => undefined,
      );
    });
    mounted.delete(path);
  };
  await attach();
  // As root, PostgreSQL runs as somebody else, who has to pass.
  await chmod(path, 0o711);
  return {
    path,
    async fill() {
      const ballast = join(path, BALLAST);
      await reserve(ballast, path);
      await writeUntilFull(ballast);
      return () => rm(ballast, { force: true });
    },
    cutPower: async () => void (await run("perl", ["-e", SHUT_DOWN, path])),
    async mountAgain() {
      await unmount();
      await attach();
    },
    unmount,
  };
}

/** Most of what is free, without writing it. */
async function reserve(ballast: string, path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const bytes = bavail * bsize - 2 * PIECE_BYTES;
  if (bytes > 0) await run("fallocate", ["-l", String(bytes), ballast]);
}

async function writeUntilFull(path: string): Promise<void> {
  const file = await open(path, "a");
  try {
    for (let bytes = PIECE_BYTES; bytes >= 1;) {
      try {
        await file.appendFile(Buffer.alloc(bytes));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error; // an error of the file system has a code
        bytes = Math.floor(bytes / 8);
      }
    }
  } finally {
    await file.close();
  }
}
