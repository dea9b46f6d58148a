/** The worker process of schemas for tests: it dies at a value, and at a schema, with `dies`. */
import { answerRequests } from "../platform/worker-process-port.ts";
import type { SchemaAnswer, SchemaRequest } from "../platform/json-schema/schema-protocol.ts";

answerRequests(({ schema, values }: SchemaRequest, begin): SchemaAnswer => {
  if (schema.includes("dies")) process.exit(7);
  const verdicts = values.map((value, at) => {
    begin(at);
    if (value.includes("dies")) process.exit(7);
    return null;
  });
  return { problem: null, verdicts };
});
