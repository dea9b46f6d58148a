/** What rows are processed with: connections, limits of providers, processors, and the workers for what customers write. */
import type { Config } from "../config.ts";
import { createConditions, workersForDatasets } from "../platform/conditions/conditions.ts";
import type { Conditions } from "../platform/conditions/conditions.ts";
import { createSchemas } from "../platform/json-schema/schemas.ts";
import type { Schemas } from "../platform/json-schema/schemas.ts";
import { createLargeTexts } from "../processors/large-texts.ts";
import type { LargeTexts } from "../processors/large-texts.ts";
import { createLimiter } from "../processors/limiter/limiter.ts";
import { createProcessors } from "../processors/processors.ts";
import { createConnections } from "../resources/connections/find-connections.ts";
import { createDryRunGate } from "../resources/runs/estimate-run.ts";
import { createFilterGate } from "../resources/runs/filter-scope.ts";
import type { Services } from "../services.ts";
import type { Stops } from "./stops.ts";

/** Several services of one process may share them; the code that passes them closes them. */
export interface Checkers {
  schemas: Schemas;
  conditions: Conditions;
  largeTexts: LargeTexts;
}

type Processing = Pick<
  Services,
  "connections" | "limiter" | "schemas" | "largeTexts" | "processors" | "conditions" | "filterGate" | "dryRunGate"
>;

export function openProcessing(
  config: Config,
  parts: Pick<Services, "log" | "database" | "tasks" | "sealer" | "connectionEgress">,
  shared: Checkers | undefined,
  stops: Stops,
): Processing {
  const connections = createConnections(parts.tasks, parts.sealer);
  const limiter = createLimiter({ database: parts.database, log: parts.log, connections });
  stops.add(() => limiter.close());
  const schemas = shared?.schemas ?? createSchemas();
  if (shared === undefined) stops.add(() => schemas.close());
  const largeTexts = shared?.largeTexts ?? createLargeTexts();
  if (shared === undefined) stops.add(() => largeTexts.close());
  const processors = createProcessors({
    transformThreads: config.ROWMILL_TRANSFORM_THREADS,
    connections,
    egress: parts.connectionEgress,
    limiter,
    schemas,
    largeTexts,
  });
  stops.add(() => processors.close());
  const conditions = shared?.conditions ?? createConditions(workersForDatasets());
  if (shared === undefined) stops.add(() => conditions.close());
  const gates = { filterGate: createFilterGate(), dryRunGate: createDryRunGate() };
  return { connections, limiter, schemas, largeTexts, processors, conditions, ...gates };
}
