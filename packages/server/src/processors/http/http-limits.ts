/** Every limit of the http processor, with its reason. */

/** Where a job spec states no timeout: a service that has not responded by then is in trouble itself. */
export const DEFAULT_TIMEOUT_MS = 30_000;
/** Where a job spec says none: a record, and not a file. */
export const DEFAULT_MAX_RESPONSE_BYTES = 1024 * 1024;
/** Of a response that is a failure only an excerpt is kept, so no more of it is read. */
export const MAX_FAILED_RESPONSE_BYTES = 64 * 1024;
/** What a failure quotes of the response: enough for the sentence that most services write. */
export const MAX_EXCERPT_CHARACTERS = 500;
/** Far more than an output may have; what reads JSON by recursion overflows its stack on much deeper text. */
export const MAX_RESPONSE_DEPTH = 1_000;
/** What servers and proxies commonly take; a longer value belongs into the body. */
export const MAX_URL_CHARACTERS = 16_384;
/** Node's own limit for the headers that it takes as a server, and that of most others. */
export const MAX_HEADER_VALUE_CHARACTERS = 16_384;
/** A provider's name for a request; longer ones are not kept whole. */
export const MAX_REQUEST_ID_CHARACTERS = 200;
/** Rows in flight for a run that says nothing else: kind to a small service, and enough to hide its delay. */
export const ROWS_IN_FLIGHT = 64;
