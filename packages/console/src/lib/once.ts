/**
 * Makes a thing once, also where the response was lost. The service may have made it then, and a run or a retry would be paid twice. A
 * person who presses the button of the same form again means the same thing: the request is sent with the `Idempotency-Key` of the first
 * one, and what was made at first comes back, with its secret.
 */
import { RowmillApiError } from "@rowmill/client";
import { useRef } from "react";
import { isUnreachable } from "./reachable.ts";

export type Once = <T>(what: unknown, send: (options: { idempotencyKey: string }) => Promise<T>) => Promise<T>;

/** For as long as the form is open. `what` is all that the request says, its path included: another request gets another key. */
export function useOnce(): Once {
  const open = useRef(new Map<string, string>());
  return async (what, send) => {
    const name = JSON.stringify(what);
    const idempotencyKey = open.current.get(name) ?? newKey();
    open.current.set(name, idempotencyKey);
    try {
      const made = await send({ idempotencyKey });
      open.current.delete(name);
      return made;
    } catch (error) {
      if (!mayBeDone(error)) open.current.delete(name);
      throw error;
    }
  };
}

/** Not by `randomUUID`, which a page without TLS on another address than loopback does not have. */
export const newKey = (): string => crypto.getRandomValues(new BigUint64Array(2)).join("-");

/** Whether the service may have done what was asked, although no response reports it. */
const mayBeDone = (error: unknown): boolean =>
  isUnreachable(error) ||
  (error instanceof RowmillApiError && (error.status >= 500 || error.code === "idempotency_in_progress"));
