/**
 * The `http` processor: one request a row. The request is made of templates (`request-template.ts`), goes out through the guard
 * of connections, and its response is the row's output.
 *
 *     row ─ fill in ─ money reserved ─ slot of the connection ─ request, one clock over it all ─ status ─ unpack ─ output
 *
 * Every request carries an `Idempotency-Key` of its root run and row: attempts, repeats after a crash and retry runs are the
 * same intent to a receiver that honours it. Redirects are not followed: they would carry row and secret to an address that was not
 * checked.
 */
import { wrongKind } from "../../platform/ids.ts";
import { SECRET_IS_LOST } from "../connection-parts.ts";
import type { Connection } from "../connection-parts.ts";
import type { Problem, Processor } from "../processor.ts";
import type { ProcessorDefinition } from "../processor-definition.ts";
import { stringsOf } from "../templates/references.ts";
import { prepareHttpEstimate } from "./estimate-http.ts";
import { httpStep } from "./http-step.ts";
import type { HttpParts } from "./http-step.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig } from "./request-template.ts";
import { compileResponsePath } from "./response.ts";

export const httpDefinition: ProcessorDefinition<HttpConfig, HttpParts> = {
  kind: "calling",
  connectionsOf: ({ connection }) => (connection === undefined ? [] : [connection]),
  templates: {
    *textsOf({ url, headers, body }) {
      yield { path: "/processor/url", text: url };
      yield* stringsOf(headers, "/processor/headers");
      yield* stringsOf(body, "/processor/body");
    },
    mainPath: "/processor/url",
  },
  create: createHttpProcessor,
};

export function createHttpProcessor(parts: HttpParts): Processor<HttpConfig> {
  return {
    findProblems: (config, organizationId) => findProblems(parts, config, organizationId),
    prepare: (config, context) => Promise.resolve(httpStep(parts, config, context)),
    prepareEstimate: (config, organizationId) => prepareHttpEstimate(parts, config, organizationId),
  };
}

async function findProblems(parts: HttpParts, config: HttpConfig, organizationId: string): Promise<Problem[]> {
  const request = compileRequest(config);
  const problems = [...request.problems];
  if (config.responsePath !== undefined) problems.push(...compileResponsePath(config.responsePath).problems);
  if (request.origin !== undefined && config.connection === undefined) {
    const way = parts.egress.dispatcherFor(new URL(request.origin));
    if (way.dispatcher === undefined) problems.push({ path: "/url", message: way.message });
  }
  if (config.connection !== undefined) {
    // A connection that has just got its secret must not be refused for the lack of it.
    const connection = await parts.connections.find(organizationId, config.connection, { isFresh: true });
    const problem = findProblemOfConnection(config.connection, connection, request);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function findProblemOfConnection(
  named: string,
  connection: Connection | undefined,
  request: { origin: string | undefined; needsSecret: boolean },
): Problem | undefined {
  const path = "/connection";
  if (connection === undefined)
    return { path, message: wrongKind(named, "connection", "`connection`") ?? `There is no connection ${named}.` };
  if (connection.type !== "http")
    return { path, message: `The connection is of type ${connection.type}; an http processor needs one of type http.` };
  if (request.needsSecret && connection.isSecretLost) return { path, message: SECRET_IS_LOST };
  if (request.needsSecret && connection.secret === null)
    return { path, message: "A header names {{connection.secret}}, but the connection has no secret." };
  if (request.origin !== undefined && request.origin !== new URL(connection.baseUrl).origin)
    return { path: "/url", message: "With a `connection` the URL is a path on its `baseUrl`, such as /v1/items." };
  return undefined;
}
