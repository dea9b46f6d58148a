/** What a backup says of itself: `manifest.json`, its last entry. A backup without one is incomplete. */
import { z } from "zod";

/** Of the backup's layout. A program reads its own and all earlier ones. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const KEY_ENTRY = "encryption-key";
export const FILES_FOLDER = "files/";
export const DATABASE_FOLDER = "database/";

/** As much as a manifest of a million entries takes. */
export const MAX_MANIFEST_BYTES = 512 * 1024 * 1024;

const table = z.object({
  /** Of the service's own tables, or of the queue's. */
  schema: z.enum(["service", "queue"]),
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.number().int(),
});

const manifest = z.object({
  format: z.number().int(),
  /** Of the program that made it. */
  version: z.string(),
  postgresVersion: z.string(),
  /** When the snapshot was taken: what was acknowledged later is not in the backup. */
  snapshotAt: z.string(),
  migrations: z.array(z.object({ version: z.number().int(), name: z.string(), sha256: z.string() })),
  /** In an order in which rows only name rows that are there already. */
  tables: z.array(table),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
  /** Where the installation keeps objects. Those of a bucket are not in the backup. */
  store: z.enum(["folder", "s3"]),
  /** Objects that the database names and the store had lost before. */
  missingObjects: z.array(z.string()),
  /** Of the encryption keys that something in the database may be sealed with. */
  keyFingerprints: z.array(z.string()),
  hasEncryptionKey: z.boolean(),
  entries: z.array(z.object({ path: z.string(), sizeBytes: z.number().int(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof manifest>;
export type TableOfBackup = z.infer<typeof table>;
export type EntryOfBackup = Manifest["entries"][number];

/** What a person can do something about; the message is a sentence. */
export class BackupError extends Error {
  override name = "BackupError";
}

/** What is at the path that the command names is at fault: an argument is wrong. */
export class BackupPathError extends BackupError {
  override name = "BackupPathError";
  /** What to do. */
  readonly advice: string;

  constructor(message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.advice = advice;
  }
}

export const ANOTHER_BACKUP = "Name another backup.";

export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new BackupPathError("The manifest of the backup cannot be read: it is not JSON.", ANOTHER_BACKUP, { cause });
  }
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : undefined;
  if (typeof format === "number" && format > FORMAT)
    throw new BackupPathError(
      `The backup has format ${format}, and this Rowmill reads formats up to ${FORMAT}: it was made by a newer one.`,
      "Restore it with that version.",
    );
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BackupPathError(
    "The manifest of the backup lacks members: it was not written by `rowmill backup`.",
    ANOTHER_BACKUP,
    { cause: parsed.error },
  );
}
