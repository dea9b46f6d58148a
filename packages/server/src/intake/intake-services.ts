/** What the parts of the intake are made of. */
import type { Services } from "../services.ts";
import type { ReadAhead } from "./read-ahead.ts";

export type IntakeServices = Pick<
  Services,
  "config" | "database" | "egress" | "freeSpace" | "limits" | "log" | "publicUrl" | "queue" | "sealer" | "store"
> & {
  /** Undefined where contents are not both received and read. */
  readAhead: ReadAhead | undefined;
};
