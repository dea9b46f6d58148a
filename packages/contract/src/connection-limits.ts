/** How fast a connection is called now: limits that the provider has reported, refusals, and what new calls wait for. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { Id, Integer, Nullable, Timestamp, component } from "./schemas.ts";

/** Models of one connection that were called within the last hour; more is a mistake in a job spec. */
export const MAX_LIMITED_MODELS = 200;

export const ConnectionLimitsSchema = component(
  "ConnectionLimits",
  Type.Object(
    {
      connectionId: Id("connection"),
      models: Type.Array(
        Type.Object({
          model: Type.String({ description: "Empty for an `http` connection." }),
          learnedRequestsPerMinute: Nullable(
            Integer({
              description: "The limit that the provider reports; null where it reports none, or none lately.",
            }),
          ),
          learnedTokensPerMinute: Nullable(
            Integer({
              description: "The limit that the provider reports; null where it reports none, or none lately.",
            }),
          ),
          requestsPerMinute: Nullable(
            Integer({ description: "The rate that is tried after refusals; null while the limits alone hold." }),
          ),
          refusals: Integer({ description: "Refusals (429) since the last call that got a response." }),
          pausedSeconds: Type.Number({
            minimum: 0,
            description: "Seconds for which no call begins, since the provider has asked for it.",
          }),
          waitSeconds: Type.Number({ minimum: 0, description: "Seconds after which a call that comes now begins." }),
          slowedAt: Nullable(
            Timestamp(
              "When a refusal (429), or an overload, last slowed calls down: they begin at `requestsPerMinute` at most. Null where none of the last ten minutes holds the rate back.",
            ),
          ),
          lastUsedAt: Timestamp(),
        }),
        {
          maxItems: MAX_LIMITED_MODELS,
          description: "Models that were called within the last hour, the last one first.",
        },
      ),
    },
    { description: "What all workers together know of a connection's limits." },
  ),
);
export type ConnectionLimits = Static<typeof ConnectionLimitsSchema>;

export const connectionLimitOperations = {
  getConnectionLimits: operation({
    method: "GET",
    path: "/v1/connections/{connectionId}/limits",
    tag: "Connections",
    summary: "Read how fast a connection is called now",
    description:
      "For each model: the limits that were learned from the provider, refusals, and how long a new call waits.",
    access: { by: "organization", scopes: ["connections:read"] },
    idempotency: "none",
    params: { connectionId: "connection" },
    response: { status: 200, schema: ConnectionLimitsSchema },
    errors: ["not_found"],
  }),
};
