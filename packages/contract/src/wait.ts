/** Reads that wait for the end of what they read. */
import { Type } from "typebox";

/** The longest a `GET` waits; below usual proxy timeouts. */
export const MAX_WAIT_SECONDS = 30;

/** `noun` is what ends, such as "run". */
export const waitSecondsFor = (noun: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: `Wait up to this long for the ${noun} to end.`,
    }),
  );
