/**
 * Declared responses that the tests need not see, each with its reason. A new test that sees one removes it here: a
 * reason without need fails the run, too.
 */
import type { OperationId } from "@rowmill/contract";

/** Given by one place for every operation alike: to see them of one operation is enough. */
export const seenOnceIsEnough: Readonly<Record<number, string>> = {
  429: "the rate limit is looked at before anything of the operation",
  500: "a fault of the service, of which no operation has one to show",
  503: "the database is away, or the service is stopping",
};

/** Operation → status → why no test sees it. */
export const unseenResponses: Readonly<Partial<Record<OperationId, Readonly<Record<number, string>>>>> = {};
