/** Reads that wait for the end of what they read. */
import { Type } from "typebox";

/** The longest a `GET` waits; below usual proxy timeouts. */
export const MAX_WAIT_SECONDS = 30;

/** `until` is what is waited for, such as "the upload to end". */
export const waitSecondsFor = (until: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: `Wait up to this long for ${until}.`,
    }),
  );
