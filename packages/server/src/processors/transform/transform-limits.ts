/** Every limit of the transform sandbox, with its reason. */

/** Code beyond this is a bundled library, which takes longer to load than a call of `processRows` takes to run. */
export const MAX_CODE_BYTES = 256 * 1024;

/** Rows per call into the engine: a call costs about as much as five rows, so that 250 make it unnoticeable. */
export const ROWS_PER_CALL = 250;
/** A failed call makes the next ones smaller; each good one lets them grow by so many rows again. */
export const ROWS_PER_CALL_STEP = 4;
/** Rows per trip to a worker thread: a trip costs about 0.1 ms, two calls hide it. */
export const ROWS_PER_REQUEST = 500;
/**
 * About how long a call of `processRows` for a run is to keep a thread. A chunk of slow rows is divided into calls of this length, which
 * all threads take in turns and end at about the same time; a trip to a thread costs a hundredth of it at most.
 */
export const CALL_MS = 25;
/**
 * Of a run of which nothing is known: two seconds at worst, in which other runs of its organization may wait for the only place, and fast rows
 * reach the largest call with the fifth one on a thread that has started.
 */
export const FIRST_CALL_ROWS = 2;
export const CALL_GROWTH = 4;
/** Text per trip and per call; a larger row travels alone. Keeps a call far below the sandbox's memory. */
export const MAX_REQUEST_CHARACTERS = 4 * 1024 * 1024;
export const MAX_CALL_BYTES = 1024 * 1024;
/** A thread hands back what is left of a work item after this long, so that a slow run cannot keep others from the thread. */
export const WORK_MS = 250;

/** One output; larger values belong into a file, and a run of them would not fit a page of results. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The same depth as for rows that come in; several JSON libraries overflow their stack on deeper text. */
export const MAX_OUTPUT_DEPTH = 64;

/** 16 MiB to begin with, which the engine demands; touched pages only cost memory. */
export const MEMORY_INITIAL_PAGES = 256;
/** (A page has 64 KiB.) 64 MiB, the hard cap: eight times the largest row. The engine's own memory limit does not hold. */
export const MEMORY_MAXIMUM_PAGES = 1024;
/** A sandbox that has grown beyond this is dropped after the call, so that the text of the next one always finds room. */
export const MEMORY_KEPT_BYTES = 48 * 1024 * 1024;
/** The engine's stack. Well below `THREAD_STACK_MB`, so that its own check, which is harmless, comes first. */
export const SANDBOX_STACK_BYTES = 256 * 1024;
/** Native frames of the engine are larger than it believes; with this, 10 000 nested arrays still meet its own check. */
export const THREAD_STACK_MB = 16;
/** The heap of a worker thread, which holds the text of one work item and little else. */
export const THREAD_OLD_SPACE_MB = 256;
export const THREAD_YOUNG_SPACE_MB = 32;

/**
 * Budget of a row, and of a call of several rows. The engine asks about every 10 000 loops or calls: 5 000 times are
 * 0.15 s of a tight loop. It is a count, and hence the same on a busy machine; where each loop does a lot, the processor
 * time of the thread ends it.
 */
export const MAX_INTERRUPTS = 5_000;
export const MAX_CPU_MS = 1_000;
/** Some loops inside the engine never ask. A call that takes this long by the clock loses its thread. */
export const CALL_BACKSTOP_MS = 10_000;
/** The same for loading code when a job spec is made: a client waits for it, and so do other organizations' checks. */
export const CHECK_BACKSTOP_MS = 2_000;
/** A thread that has not begun its first call after this long is not coming; starting one takes 0.1 s. */
export const THREAD_START_BACKSTOP_MS = 30_000;
/** A call that hangs is ended this fraction of the backstop too late at most. */
export const BACKSTOP_CHECKS = 4;
/**
 * Where the threads keep what they have for so long, and none becomes idle, an organization that has none gets the relief thread. Work items
 * take 25 ms, and 250 ms at most unless a single call takes longer.
 */
export const RELIEF_AFTER_MS = 1_000;
/** The relief thread is ended after so long without work, since it takes as much memory as any other. */
export const RELIEF_KEPT_MS = 60_000;
/** How long a canceled work item may go on before its thread is ended; a thread costs 50 ms to start again. */
export const CANCEL_GRACE_MS = 500;

/** Loaded sandboxes per thread: each holds 1 to 64 MiB. Loading one again takes about 2 ms. */
export const SANDBOXES_PER_THREAD = 8;
/** A thread is replaced after this many engine failures, or this much memory left to the garbage collector by them. */
export const RETIRE_AFTER_ENGINE_FAILURES = 50;
export const RETIRE_AFTER_DISCARDED_BYTES = 512 * 1024 * 1024;
/** Threads that end before they touch a row point at the service, not at the row. */
export const MAX_IDLE_DEATHS = 3;

/** What a failure says about the error that was thrown. */
export const MAX_MESSAGE_CHARACTERS = 2_000;
export const MAX_STACK_LINES = 8;
/** What a test shows of a row's console output. */
export const MAX_LOG_CHARACTERS = 4 * 1024;
