/** On a machine with much other work, the service of a test does not respond as soon as the command expects of one that works. */

const NOTE = /^No response from http:\/\/127\.0\.0\.1:\d+ yet; Ctrl-C ends the wait\.\n/gm;

/** What a command has printed, without what depends on how busy the machine is. `first-response.test.ts` tests the note. */
export const withoutNoteOnSilence = (printed: string): string => printed.replaceAll(NOTE, "");
