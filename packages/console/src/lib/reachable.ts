/** Whether the service is there, as the last request that ended says. */
import { RowmillConnectionError, RowmillTimeoutError } from "@rowmill/client";
import { useSyncExternalStore } from "react";
import { queries } from "./client.ts";

let isAway = false;

function watch(onChange: () => void): () => void {
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    const { action } = event;
    if (action.type === "failed" || action.type === "error") isAway = isUnreachable(action.error);
    else if (action.type === "success" && action.manual !== true) isAway = false;
    else return;
    onChange();
  });
}

export const isUnreachable = (error: unknown): boolean =>
  error instanceof RowmillConnectionError || error instanceof RowmillTimeoutError;

export const useIsAway = (): boolean => useSyncExternalStore(watch, () => isAway);
