/** JSON pointers (RFC 6901) as error details show them. */
import { cutText } from "../text.ts";

/** A name may be as long as the body; it is not sent back whole. */
export const SHOWN_NAME_LENGTH = 60;

/** `at` is a pointer already. */
export const pointerTo = (at: string, name: string): string =>
  `${at}/${cutText(name, SHOWN_NAME_LENGTH).replaceAll("~", "~0").replaceAll("/", "~1")}`;
