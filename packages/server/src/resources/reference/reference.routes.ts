/** What the service tells about itself; read from the contract. */
import { failureActions } from "@rowmill/contract/failure-actions";
import { failureCodeNames, failureCodes } from "@rowmill/contract/failures";
import { intakeErrorCodes, intakeErrors } from "@rowmill/contract/intake-errors";
import { runErrors, stateReasons } from "@rowmill/contract/run-reasons";
import {
  deliverableEventTypes,
  eventTypeNames,
  eventTypePatterns,
  eventTypes,
  matchesEventType,
} from "@rowmill/contract/events";
import { errorCodeNames, errorCodes, isRetryable } from "@rowmill/contract/errors";
import { makeOpenApi } from "@rowmill/contract/openapi";
import { formatId } from "../../platform/ids.ts";
import type { Handlers } from "../../platform/http/handlers.ts";

export const referenceRoutes = () => {
  const openApi = makeOpenApi();
  return {
    getOpenApi: async () => openApi,
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

/** Every code that the service answers anywhere. */
export const allCodes = () => ({
  data: errorCodeNames.map((code) => {
    const { status, meaning, action } = errorCodes[code];
    return { code, status, meaning, action, retryable: isRetryable(code) };
  }),
  rowFailures: failureCodeNames.map((code) => ({
    code,
    class: failureCodes[code].class,
    meaning: failureCodes[code].meaning,
    action: failureActions[code],
    retryable: failureCodes[code].retryable,
  })),
  uploadErrors: intakeErrorCodes.map((code) => ({ code, meaning: intakeErrors[code] })),
  runReasons: Object.entries({ ...stateReasons, ...runErrors }).map(([code, entry]) => ({ code, ...entry })),
});
