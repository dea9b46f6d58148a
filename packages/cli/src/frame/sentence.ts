/** Text that becomes the beginning of a sentence, or all of it. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Errors of libraries begin in lower case and end without a period, or with the colon of a list. */
export function asSentence(text: string): string {
  const ended = text.replace(/:$/, ".");
  return `${capitalized(ended)}${/[.!?]$/.test(ended) ? "" : "."}`;
}
