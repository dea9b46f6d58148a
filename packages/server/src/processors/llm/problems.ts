/** What is wrong with the configuration of a job spec, found out before it is stored. */
import { wrongKind } from "../../platform/ids.ts";
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import { SECRET_IS_LOST } from "../connection-parts.ts";
import type { Connection, Connections } from "../connection-parts.ts";
import type { Problem } from "../processor.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig } from "./llm-config.ts";
import { compilePrompt } from "./prompt.ts";

/** Anthropic's API has no such parameters: left out, they would do nothing without a word. */
const NOT_OF_ANTHROPIC = ["presencePenalty", "frequencyPenalty", "seed"] as const;
const MAX_ANTHROPIC_TEMPERATURE = 1;

export async function findLlmProblems(
  { connections, schemas }: { connections: Connections; schemas: Schemas },
  config: LlmConfig,
  organizationId: string,
): Promise<Problem[]> {
  const prompt = compilePrompt(config.messages, () => undefined);
  const found = await Promise.all(
    // As it is now: a connection that was deleted a moment ago must be refused.
    targetsOf(config).map(({ connectionId }) => connections.find(organizationId, connectionId, { isFresh: true })),
  );
  return [
    ...found.flatMap((connection, index) => findConnectionProblem(connection, config, index)),
    ...prompt.problems,
    ...(found[0]?.type === "anthropic" ? findParameterProblems(config.parameters) : []),
    ...(await findSchemaProblem(schemas, config.outputSchema, organizationId)),
  ];
}

/** `index` 0 is the job spec's own model, the others its fallbacks. */
function findConnectionProblem(connection: Connection | undefined, config: LlmConfig, index: number): Problem[] {
  const named = index === 0 ? config.connection : config.fallbacks?.[index - 1]?.connection;
  // It is the same connection, for which this was already reported.
  if (named === undefined) return [];
  const path = index === 0 ? "/connection" : `/fallbacks/${index - 1}/connection`;
  if (connection === undefined)
    return [{ path, message: wrongKind(named, "connection", "`connection`") ?? `There is no connection ${named}.` }];
  if (connection.type === "http")
    return [
      { path, message: "The connection is of type http; a model needs one of type openai_compatible or anthropic." },
    ];
  if (connection.isSecretLost) return [{ path, message: SECRET_IS_LOST }];
  if (connection.type === "anthropic" && connection.secret === null)
    return [{ path, message: "The connection has no secret, without which Anthropic's API rejects every request." }];
  return [];
}

function findParameterProblems(parameters: LlmConfig["parameters"]): Problem[] {
  const problems: Problem[] = [];
  for (const name of NOT_OF_ANTHROPIC)
    if (parameters?.[name] !== undefined)
      problems.push({ path: `/parameters/${name}`, message: `A connection of type anthropic takes no ${name}.` });
  if ((parameters?.temperature ?? 0) > MAX_ANTHROPIC_TEMPERATURE)
    problems.push({
      path: "/parameters/temperature",
      message: `A connection of type anthropic takes a temperature of at most ${MAX_ANTHROPIC_TEMPERATURE}.`,
    });
  return problems;
}

async function findSchemaProblem(
  schemas: Schemas,
  schema: LlmConfig["outputSchema"],
  organizationId: string,
): Promise<Problem[]> {
  if (schema === undefined) return [];
  const problem = await schemas.findProblem({ organizationId, place: "interactive" }, schema);
  return problem === undefined ? [] : [{ path: `/outputSchema${problem.path}`, message: problem.message }];
}
