/** Webhook endpoints: the URLs to which an organization wants its events sent, each with a signing secret of its own. */
import { deliverableEventTypes, eventTypePatterns } from "@rowmill/contract/events";
import type { WebhookEndpoint } from "@rowmill/contract/webhook-endpoints";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { WebhookEndpointsTable } from "../../platform/database/event-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { checkUrl } from "../../platform/egress/check-url.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { OperationFunction, ReplayChecks } from "../../platform/http/handlers.ts";
import { formatId, newUuid, uuidOf } from "../../platform/ids.ts";
import { didYouMean } from "../../platform/nearest-name.ts";
import { isShownUrl, sealUrl, showUrl } from "../../platform/secrets/bearer-urls.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { RECORDED_AT } from "../events/events.ts";
import { limitOf } from "../organizations/organizations.ts";
import { resource } from "../resource.ts";
import type { DefaultLimits } from "../../services.ts";
import { newSigningSecret } from "./signing.ts";
import { cancelWaitingDeliveries, disableEndpoint } from "./disabling.ts";
import { retireSecret, sealSecret } from "./signing-secrets.ts";
import { sharedNow } from "../../platform/shared-time.ts";

type EndpointRow = Selectable<WebhookEndpointsTable>;

export interface EndpointParts {
  limits: DefaultLimits;
  sealer: Sealer;
  /** Receivers on this machine, in development. */
  receiverOrigins: ReadonlySet<string>;
}

const endpoints = resource("webhookEndpoints", {
  noun: "webhook endpoint",
  deletedIn: "deletedAt",
  large: ["url", "shownUrl", "eventTypes", "description", "previousSecrets"],
});

export const findEndpoint = endpoints.find;

export const createWebhookEndpoint: OperationFunction<"createWebhookEndpoint", EndpointParts> = async (
  tx,
  caller,
  { body },
  { limits, sealer, receiverOrigins },
) => {
  const { organizationId } = caller;
  const url = acceptUrl(body.url, receiverOrigins);
  checkEventTypes(body.eventTypes);
  const limit = await limitOf(tx, organizationId, "webhookEndpoints", limits);
  await endpoints.takePlace(
    tx,
    caller,
    limit,
    (count) => `The organization has ${count} webhook endpoints, and its limit is ${limit}. Delete one.`,
  );
  const id = newUuid();
  const signingSecret = newSigningSecret();
  const enabled = body.enabled ?? true;
  const row = await tx
    .insertInto("webhookEndpoints")
    .values({
      organizationId,
      id,
      ...urlColumns(sealer, { organizationId, id }, url),
      eventTypes: body.eventTypes,
      description: body.description ?? null,
      enabled,
      disabledReason: enabled ? null : "by_user",
      signingSecret: sealSecret(sealer, "webhook_endpoints", { organizationId, id }, signingSecret),
      createdAt: RECORDED_AT,
      updatedAt: RECORDED_AT,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const changes = { url: showUrl(url), eventTypes: body.eventTypes, enabled };
  await recordAudit(tx, caller, "webhook_endpoint.created", id, changes);
  return { ...describe(row), signingSecret };
};

export const listWebhookEndpoints: OperationFunction<"listWebhookEndpoints"> = async (db, caller, { page }) => {
  const { rows, next } = await endpoints.list(db, caller, page);
  return { data: rows.map(describe), next };
};

export const getWebhookEndpoint: OperationFunction<"getWebhookEndpoint"> = async (db, caller, { params }) =>
  describe(await findEndpoint(db, caller, params.webhookEndpointId));

export const updateWebhookEndpoint: OperationFunction<"updateWebhookEndpoint", EndpointParts> = async (
  tx,
  caller,
  { params, body },
  { sealer, receiverOrigins },
) => {
  const { organizationId } = caller;
  const id = params.webhookEndpointId;
  const { eventTypes, description, enabled } = body;
  const url = body.url === undefined ? undefined : acceptUrl(body.url, receiverOrigins);
  if (eventTypes !== undefined) checkEventTypes(eventTypes);
  const before = await endpoints.lock(tx, caller, id);
  if (enabled === false && before.enabled) await disableEndpoint(tx, caller, { organizationId, id }, "by_user");
  const row = await endpoints.update(tx, caller, id, {
    ...(url === undefined ? {} : urlColumns(sealer, { organizationId, id }, url)),
    eventTypes,
    description,
    ...(enabled === true ? freshHealth : {}),
    // A manual disable replaces an automatic reason.
    disabledReason: enabled === false ? "by_user" : enabled === true ? null : undefined,
  });
  const changes = url === undefined ? body : { ...body, url: showUrl(url) };
  await recordAudit(tx, caller, "webhook_endpoint.updated", id, changes);
  return describe(row);
};

/** Of an endpoint that somebody has enabled: it starts again. */
const freshHealth = {
  enabled: true,
  failingSince: null,
  failedDeliveries: 0,
  warnedPercent: 0,
  consecutiveTimeouts: 0,
};

/** The row stays, for its deliveries' sake; nothing shows or uses it any more. */
export const deleteWebhookEndpoint: OperationFunction<"deleteWebhookEndpoint"> = async (tx, caller, { params }) => {
  const key = { organizationId: caller.organizationId, id: params.webhookEndpointId };
  await endpoints.lock(tx, caller, key.id);
  await endpoints.update(tx, caller, key.id, { deletedAt: sharedNow(), previousSecrets: "[]" });
  await cancelWaitingDeliveries(tx, key);
  await recordAudit(tx, caller, "webhook_endpoint.deleted", key.id);
  return undefined;
};

export const rotateSigningSecret: OperationFunction<"rotateWebhookEndpointSecret", EndpointParts> = async (
  tx,
  caller,
  { params },
  { sealer },
) => {
  const key = { organizationId: caller.organizationId, id: params.webhookEndpointId };
  const before = await endpoints.lock(tx, caller, key.id);
  const signingSecret = newSigningSecret();
  const row = await endpoints.update(tx, caller, key.id, {
    signingSecret: sealSecret(sealer, "webhook_endpoints", key, signingSecret),
    previousSecrets: JSON.stringify(retireSecret(before, sharedNow())),
  });
  await recordAudit(tx, caller, "webhook_endpoint.secret_rotated", key.id);
  return { ...describe(row), signingSecret };
};

const urlColumns = (sealer: Sealer, key: { organizationId: string; id: string }, url: string) => ({
  url: sealUrl(sealer, "webhook_endpoints", key, url),
  shownUrl: showUrl(url),
});

/** The URL as it is stored, shown and called. */
function acceptUrl(url: string, receiverOrigins: ReadonlySet<string>): string {
  refuseShownUrl(url, "url");
  const checked = checkUrl(url, receiverOrigins);
  if (checked.accepted) return checked.href;
  throw new ApiError("webhook_url_not_allowed", checked.message, {
    param: "url",
    extra: { reason: checked.reason },
  });
}

const subscribable: readonly string[] = [...deliverableEventTypes, ...eventTypePatterns];

export function checkEventTypes(types: readonly string[]): void {
  const unknown = types.find((type) => !subscribable.includes(type));
  if (unknown === undefined) return;
  throw new ApiError(
    "event_type_unknown",
    `There is no event type ${JSON.stringify(unknown)}.${didYouMean(unknown, subscribable)} Types are ${deliverableEventTypes.join(", ")}; patterns are ${eventTypePatterns.join(", ")}.`,
    { param: "eventTypes" },
  );
}

/** For a repeat of the request that made its secret, by any key that may make endpoints. */
async function isEndpointInUse(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { id }: { id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("webhookEndpoints")
    .select("deletedAt")
    .where(isRow({ organizationId }, uuidOf("webhookEndpoint", id)))
    .executeTakeFirst();
  return row?.deletedAt === null;
}

/** A client that writes back what it has read would otherwise stop all deliveries. */
export function refuseShownUrl(url: string, param: string): void {
  if (!isShownUrl(url)) return;
  const message =
    "This is the form in which a URL is shown, without its secret part: send the whole URL, or leave it out.";
  throw new ApiError("webhook_url_not_allowed", message, { param, extra: { reason: "shortened" } });
}

const describe = (row: EndpointRow): WebhookEndpoint => ({
  id: formatId("webhookEndpoint", row.id),
  url: row.shownUrl,
  eventTypes: row.eventTypes,
  description: row.description,
  enabled: row.enabled,
  disabledReason: row.disabledReason,
  failingSince: row.failingSince?.toISOString() ?? null,
  lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const webhookEndpointOperations = {
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookEndpointSecret: rotateSigningSecret,
};

export const webhookEndpointReplays = {
  createWebhookEndpoint: isEndpointInUse,
  rotateWebhookEndpointSecret: isEndpointInUse,
} satisfies Partial<ReplayChecks>;
