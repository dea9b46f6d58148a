/** Beside what evaluates conditions, which is loaded in its own process only. */

/** A page of text; a longer expression is a program and belongs elsewhere. */
export const MAX_SOURCE_BYTES = 4 * 1024;

/** What a person can still read; parser and planner recurse, and their stack ends at some thousands. */
export const MAX_DEPTH = 64;
