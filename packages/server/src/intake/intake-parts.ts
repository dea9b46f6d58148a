/** What the parts of the intake are made of. */
import type { ForOrganization } from "../platform/database/tenants.ts";
import type { Services } from "../services.ts";
import type { ReadAhead } from "./read-ahead.ts";
import type { SpareReaders } from "./readers/spare-reader.ts";

export type IntakeParts = Pick<
  Services,
  | "config"
  | "database"
  | "egress"
  | "freeSpace"
  | "limits"
  | "log"
  | "publicUrl"
  | "queue"
  | "sealer"
  | "store"
  | "tasks"
> & {
  /** Undefined where contents are not both received and read. */
  readAhead: ReadAhead | undefined;
  /** Undefined where contents are not read. */
  spareReaders: SpareReaders | undefined;
};

/** Of the organization whose upload is taken in. */
export type IntakeAttemptParts = ForOrganization<IntakeParts>;
