/** What the service publishes about itself; read from the contract. */
import {
  deliverableEventTypes,
  eventTypeNames,
  eventTypePatterns,
  eventTypes,
  matchesEventType,
} from "@rowmill/contract/events";
import { makeOpenApi } from "@rowmill/contract/openapi";
import { formatId } from "../../platform/ids.ts";
import type { Handlers } from "../../platform/http/handlers.ts";
import { allCodes } from "./all-codes.ts";

/** Of all services of this process: the contract is the same for all. Made for the first who asks: it is a third of the work of a start. */
let openApi: ReturnType<typeof makeOpenApi> | undefined;

/** `publicUrl` may have a path, below which a proxy serves all of the interface. */
export const createReferenceHandlers = (publicUrl: () => string) => {
  return {
    getOpenApi: async () => {
      openApi ??= makeOpenApi();
      return { ...openApi, servers: [{ url: new URL(publicUrl()).pathname }] };
    },
    getMe: async (_db, caller) =>
      caller.kind === "admin"
        ? { kind: "admin", organizationId: null, apiKeyId: null, scopes: [] }
        : {
            kind: "organization",
            organizationId: formatId("organization", caller.organizationId),
            apiKeyId: formatId("apiKey", caller.apiKeyId),
            scopes: [...caller.scopes],
          },
    listErrorCodes: async () => allCodes(),
    listEventTypes: async () => ({
      data: eventTypeNames.map((type) => ({
        type,
        object: eventTypes[type].object,
        meaning: eventTypes[type].meaning,
        deliverable: !("streamOnly" in eventTypes[type]),
      })),
      patterns: eventTypePatterns.map((pattern) => ({
        pattern,
        types: deliverableEventTypes.filter((type) => matchesEventType([pattern], type)),
      })),
    }),
  } satisfies Partial<Handlers>;
};
