/** What a backup says of itself: `manifest.json`, its last entry. A backup without one is incomplete. */
import { Ajv } from "ajv";
import { Type } from "typebox";
import type { Static } from "typebox";

/** Of the backup's layout. A program reads its own and all earlier ones. */
export const FORMAT = 1;
export const MANIFEST = "manifest.json";
export const KEY_ENTRY = "encryption-key";
export const FILES_FOLDER = "files/";
export const DATABASE_FOLDER = "database/";

/** As much as a manifest of a million entries takes. */
export const MAX_MANIFEST_BYTES = 512 * 1024 * 1024;

const table = Type.Object({
  /** Of the service's own tables, or of the queue's. */
  schema: Type.Union([Type.Literal("service"), Type.Literal("queue")]),
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
});

/** Members that it does not name are left alone. */
const manifest = Type.Object({
  format: Type.Integer(),
  /** Of the program that made it. */
  version: Type.String(),
  postgresVersion: Type.String(),
  /** When the snapshot was taken: what was acknowledged later is not in the backup. */
  snapshotAt: Type.String(),
  migrations: Type.Array(Type.Object({ version: Type.Integer(), name: Type.String(), sha256: Type.String() })),
  /** In an order in which rows only name rows that are there already. */
  tables: Type.Array(table),
  sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), isCalled: Type.Boolean() })),
  /** Where the installation keeps objects. Those of a bucket are not in the backup. */
  store: Type.Union([Type.Literal("folder"), Type.Literal("s3")]),
  /** Objects that the database names and the store had lost before. */
  missingObjects: Type.Array(Type.String()),
  /** Of the encryption keys that something in the database may be sealed with. */
  keyFingerprints: Type.Array(Type.String()),
  hasEncryptionKey: Type.Boolean(),
  entries: Type.Array(Type.Object({ path: Type.String(), sizeBytes: Type.Integer(), sha256: Type.String() })),
});

export type Manifest = Static<typeof manifest>;
export type TableOfBackup = Static<typeof table>;
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
  const ajv = new Ajv();
  if (ajv.validate<Manifest>(manifest, value)) return value;
  throw new BackupPathError(
    "The manifest of the backup lacks members: it was not written by `rowmill backup`.",
    ANOTHER_BACKUP,
    { cause: new Error(ajv.errorsText()) },
  );
}
