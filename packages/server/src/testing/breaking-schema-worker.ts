/** The worker process of schemas for tests: it dies at a value, and at a schema, with `dies`. */
import { serveRequests } from "../platform/worker-process-port.ts";
import type { SchemaResponse, SchemaRequest } from "../platform/json-schema/schema-protocol.ts";

serveRequests(({ schema, values }: SchemaRequest, begin): SchemaResponse => {
  if (schema.includes("dies")) process.exit(7);
  const verdicts = values.map((value, at) => {
    begin(at);
    if (value.includes("dies")) process.exit(7);
    return null;
  });
  return { problem: null, verdicts };
});
