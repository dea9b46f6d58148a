/**
 * Text and JSON that cannot steer a terminal. A name, an error or a cell may contain control sequences: they would move the cursor,
 * hide what was printed, set the window's title or the clipboard. Our own colors are sequences, too, and stay.
 */

/** `ESC [ … m`, as `styleText` writes it: colors and weights. Nothing else is kept of a terminal's sequences. */
const KEPT = /\u001b\[[0-9;]{0,16}m/;
/** All control characters but the tab and the line break. */
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const EITHER = new RegExp(`(${KEPT.source})|\\r\\n|${STEERING.source}`, "g");

/** Each one becomes the character that stands for what cannot be shown. */
export const harmlessText = (text: string): string =>
  text.replace(EITHER, (found, kept: string | undefined) => kept ?? (found === "\r\n" ? "\n" : "\ufffd"));

/** The same value: JSON.stringify leaves some control characters as they are. */
export const harmlessJson = (value: unknown, space?: number): string =>
  JSON.stringify(value, null, space).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
