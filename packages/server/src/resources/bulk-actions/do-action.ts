/** The action of a bulk action on one of its targets: what the single operation does, prepared and in a transaction. */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { hideDataset } from "../datasets/datasets.ts";
import { deleteExport } from "../exports/exports.ts";
import type { RequestParts } from "../runs/create-run.ts";
import { prepareRetry } from "../runs/retry.ts";
import { cancelRun, pauseRun, resumeRun } from "../runs/run-actions.ts";
import { deleteRun } from "../runs/runs.ts";
import type { BulkRecord } from "./bulk-actions.ts";

type Work = (tx: Transaction) => Promise<unknown>;

export async function prepareAction(
  db: Queryable,
  caller: OrganizationCaller,
  { resource, action, retry }: Pick<BulkRecord, "resource" | "action" | "retry">,
  id: string,
  parts: RequestParts,
): Promise<Work> {
  if (resource === "datasets") return (tx) => hideDataset(tx, caller, id);
  if (resource === "exports") return (tx) => deleteExport(tx, caller, id);
  switch (action) {
    case "cancel":
      return (tx) => cancelRun(tx, caller, id, parts);
    case "pause":
      return (tx) => pauseRun(tx, caller, id);
    case "resume":
      return (tx) => resumeRun(tx, caller, id, parts);
    case "delete":
      return (tx) => deleteRun(tx, caller, id);
    case "retry": {
      const body = JSON.parse(retry ?? "{}") as Input<Operations["retryRun"]>["body"]; // checked with the body that brought it
      return prepareRetry(db, caller, id, body, parts);
    }
  }
}
