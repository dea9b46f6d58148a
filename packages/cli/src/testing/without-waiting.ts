/** On a machine with much other work, things take longer than a command expects, which it then notes: lines that another run does not have. */

const NOTES = [
  // `first-response.test.ts` tests it.
  /No response from http:\/\/127\.0\.0\.1:\d+ yet; Ctrl-C ends the wait\./,
  // Where a run is followed: how far it is, and why it stands still.
  /[\d,]+ of [\d,]+ rows? \([\d.]+ %\).*/,
  /No row finishes: .*/,
  // What takes long and is no run: `status-line.ts`.
  /[\d.]+( of [\d.]+)? MiB sent(, [\d,]+ rows? read)?/,
  /\d+ of the first \d+ rows? done \([\d.]+ \w+ so far\)/,
  /The service writes the rows of .* \([\d.]+ \w+ so far\)/,
  /[\d.]+ of [\d.]+ MiB of .*/,
];
const LINES = new RegExp(`^(${NOTES.map(({ source }) => source).join("|")})\n`, "gm");

/** What a command has printed outside of a terminal, without what depends on how busy the machine is. */
export const withoutWaiting = (printed: string): string => printed.replaceAll(LINES, "");
