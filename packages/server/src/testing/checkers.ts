/**
 * What checks schemas, evaluates conditions and reads large texts in processes of its own, for all services of this test process: each
 * start of such a process costs as much as many tests. Tests of their limits make their own, and processes of the service have theirs.
 */
import { createConditions, workersForDatasets } from "../platform/conditions/conditions.ts";
import { createSchemas } from "../platform/json-schema/schemas.ts";
import { createLargeTexts } from "../processors/large-texts.ts";
import type { Readings } from "../start-service.ts";

type Checkers = NonNullable<Readings["checkers"]>;

let shared: Checkers | undefined;

/** Nobody closes them: an idle one does not keep its parent, and ends with it, or after a while. */
export const findCheckers = (): Checkers =>
  (shared ??= {
    schemas: createSchemas(),
    conditions: createConditions(workersForDatasets()),
    largeTexts: createLargeTexts(),
  });
