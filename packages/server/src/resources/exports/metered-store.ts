/** The store as an export writes to it: within what its organization may store, and not while there is little free space. */
import { Readable } from "node:stream";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import type { FreeSpace } from "../../platform/storage/free-space.ts";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import type { DefaultLimits } from "../../services.ts";
import { STORAGE_LIMIT_MESSAGE, isStorageExceeded } from "../organizations/storage-limit.ts";
import { statementsOf } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { ExportClaim } from "./export-claims.ts";
import { ExportError } from "./formats/format.ts";

/** Bytes between two looks: a small export needs none, and one that goes too far stops soon. */
const STEP_BYTES = 16 << 20;

interface MeterParts {
  database: OrganizationDatabase;
  store: ObjectStore;
  freeSpace: FreeSpace;
  limits: DefaultLimits;
}

export function meteredStore(parts: MeterParts, claim: ExportClaim, signal: AbortSignal): Pick<ObjectStore, "put"> {
  async function* metered(source: Readable): AsyncGenerator<Buffer> {
    let [written, reserved] = [0, 0];
    for await (const part of source as AsyncIterable<Buffer>) {
      await parts.freeSpace.wait(signal);
      written += part.length;
      if (written - reserved >= STEP_BYTES) {
        reserved = written;
        await reserve(parts, claim, written);
      }
      yield part;
    }
  }
  return {
    // The source ends with its reader: its destruction is noticed here.
    put: (key, source) => parts.store.put(key, Readable.from(metered(source), { objectMode: false })),
  };
}

/** Throws where the organization then stores more than it may. Without the claim nothing is reserved; the worker notices soon. */
async function reserve({ database, limits }: MeterParts, { row }: ExportClaim, bytes: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx
      .updateTable("exports")
      .set({ reservedBytes: bytes })
      .where(isRowOf("exports", row, row.id))
      .where("claimNo", "=", row.claimNo)
      .where("status", "=", "running")
      .execute();
    if (await isStorageExceeded(statementsOf(tx), row.organizationId, limits))
      throw new ExportError("storage_limit_reached", STORAGE_LIMIT_MESSAGE);
  });
}
