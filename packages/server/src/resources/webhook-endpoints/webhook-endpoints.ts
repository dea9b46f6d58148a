/** Webhook endpoints: the URLs to which an organization wants its events sent, each with a signing secret of its own. */
import { deliverableEventTypes, eventTypePatterns } from "@rowmill/contract/events";
import type { Operations } from "@rowmill/contract";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { WebhookEndpointsTable } from "../../platform/database/event-tables.ts";
import { checkUrl } from "../../platform/egress/check-url.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, newUuid, uuidOf } from "../../platform/ids.ts";
import { didYouMean } from "../../platform/nearest-name.ts";
import { isShownUrl, sealUrl, showUrl } from "../../platform/secrets/bearer-urls.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { limitOf } from "../organizations/organizations.ts";
import type { DefaultLimits } from "../../services.ts";
import { newSigningSecret } from "./signing.ts";
import { cancelWaitingDeliveries, disableEndpoint } from "./disabling.ts";
import { retireSecret, sealSecret } from "./signing-secrets.ts";

type EndpointRow = Selectable<WebhookEndpointsTable>;

export interface EndpointParts {
  sealer: Sealer;
  /** Receivers on this machine, in development. */
  receiverOrigins: ReadonlySet<string>;
}

export async function createWebhookEndpoint(
  tx: Transaction,
  caller: OrganizationCaller,
  { limits, sealer, receiverOrigins }: EndpointParts & { limits: DefaultLimits },
  body: Input<Operations["createWebhookEndpoint"]>["body"],
): Promise<WebhookEndpointWithSecret> {
  const { organizationId } = caller;
  const url = acceptUrl(body.url, receiverOrigins);
  checkEventTypes(body.eventTypes);
  await checkEndpointLimit(tx, limits, organizationId);
  const id = newUuid();
  const signingSecret = newSigningSecret();
  const enabled = body.enabled ?? true;
  const now = new Date();
  const row = await tx
    .insertInto("webhookEndpoints")
    .values({
      organizationId,
      id,
      url: sealUrl(sealer, "webhook_endpoints", { organizationId, id }, url),
      shownUrl: showUrl(url),
      eventTypes: body.eventTypes,
      description: body.description ?? null,
      enabled,
      disabledReason: enabled ? null : "by_user",
      signingSecret: sealSecret(sealer, "webhook_endpoints", { organizationId, id }, signingSecret),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId,
    type: "webhook_endpoint.created",
    targetType: "webhook_endpoint",
    targetId: formatId("webhookEndpoint", id),
    changes: { url: showUrl(url), eventTypes: body.eventTypes, enabled },
  });
  return { ...describe(row), signingSecret };
}

export async function listWebhookEndpoints(
  db: Queryable,
  caller: OrganizationCaller,
  page: Page,
): Promise<PageOf<WebhookEndpoint>> {
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("webhookEndpoints")
        .selectAll()
        .where("organizationId", "=", caller.organizationId)
        .where("deletedAt", "is", null)
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  return { data: rows.map(describe), next };
}

export async function getWebhookEndpoint(
  db: Queryable,
  caller: OrganizationCaller,
  id: string,
): Promise<WebhookEndpoint> {
  return describe(await findEndpoint(db, caller.organizationId, id));
}

export async function findEndpoint(db: Queryable, organizationId: string, id: string): Promise<EndpointRow> {
  const row = await endpointQuery(db, organizationId, id).executeTakeFirst();
  if (!row) throw notFound("webhook endpoint");
  return row;
}

async function lockEndpoint(tx: Transaction, organizationId: string, id: string): Promise<EndpointRow> {
  const row = await endpointQuery(tx, organizationId, id).forUpdate().executeTakeFirst();
  if (!row) throw notFound("webhook endpoint");
  return row;
}

const endpointQuery = (db: Queryable, organizationId: string, id: string) =>
  db
    .selectFrom("webhookEndpoints")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null);

export async function updateWebhookEndpoint(
  tx: Transaction,
  caller: OrganizationCaller,
  { sealer, receiverOrigins }: EndpointParts,
  id: string,
  body: Input<Operations["updateWebhookEndpoint"]>["body"],
): Promise<WebhookEndpoint> {
  const { organizationId } = caller;
  const url = body.url === undefined ? undefined : acceptUrl(body.url, receiverOrigins);
  if (body.eventTypes !== undefined) checkEventTypes(body.eventTypes);
  const before = await lockEndpoint(tx, organizationId, id);
  if (body.enabled === false && before.enabled) await disableEndpoint(tx, caller, { organizationId, id }, "by_user");
  const row = await tx
    .updateTable("webhookEndpoints")
    .set({
      ...(url === undefined
        ? {}
        : { url: sealUrl(sealer, "webhook_endpoints", { organizationId, id }, url), shownUrl: showUrl(url) }),
      ...(body.eventTypes === undefined ? {} : { eventTypes: body.eventTypes }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.enabled === true ? freshHealth : {}),
      // A manual disable replaces an automatic reason.
      ...(body.enabled === false ? { disabledReason: "by_user" as const } : {}),
      updatedAt: new Date(),
    })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId,
    type: "webhook_endpoint.updated",
    targetType: "webhook_endpoint",
    targetId: formatId("webhookEndpoint", id),
    changes: { ...body, ...(url === undefined ? {} : { url: showUrl(url) }) },
  });
  return describe(row);
}

/** Of an endpoint that somebody has enabled: it starts again. */
const freshHealth = {
  enabled: true,
  disabledReason: null,
  failingSince: null,
  failedDeliveries: 0,
  warnedPercent: 0,
  consecutiveTimeouts: 0,
};

/** The row stays, for its deliveries' sake; nothing shows or uses it any more. */
export async function deleteWebhookEndpoint(
  tx: Transaction,
  caller: OrganizationCaller,
  id: string,
): Promise<undefined> {
  const { organizationId } = caller;
  await lockEndpoint(tx, organizationId, id);
  await tx
    .updateTable("webhookEndpoints")
    .set({ deletedAt: new Date(), previousSecrets: "[]" })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .execute();
  await cancelWaitingDeliveries(tx, { organizationId, id });
  await recordAudit(tx, caller, {
    organizationId,
    type: "webhook_endpoint.deleted",
    targetType: "webhook_endpoint",
    targetId: formatId("webhookEndpoint", id),
  });
  return undefined;
}

export async function rotateSigningSecret(
  tx: Transaction,
  caller: OrganizationCaller,
  sealer: Sealer,
  id: string,
): Promise<WebhookEndpointWithSecret> {
  const { organizationId } = caller;
  const before = await lockEndpoint(tx, organizationId, id);
  const now = new Date();
  const signingSecret = newSigningSecret();
  const row = await tx
    .updateTable("webhookEndpoints")
    .set({
      signingSecret: sealSecret(sealer, "webhook_endpoints", { organizationId, id }, signingSecret),
      previousSecrets: JSON.stringify(retireSecret(before, now)),
      updatedAt: now,
    })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, {
    organizationId,
    type: "webhook_endpoint.secret_rotated",
    targetType: "webhook_endpoint",
    targetId: formatId("webhookEndpoint", id),
  });
  return { ...describe(row), signingSecret };
}

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
export async function isEndpointInUse(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { id }: { id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("webhookEndpoints")
    .select("deletedAt")
    .where("organizationId", "=", organizationId)
    .where("id", "=", uuidOf("webhookEndpoint", id))
    .executeTakeFirst();
  return row?.deletedAt === null;
}

async function checkEndpointLimit(tx: Transaction, limits: DefaultLimits, organizationId: string): Promise<void> {
  await lockOrganization(tx, organizationId);
  const limit = await limitOf(tx, limits, organizationId, "webhookEndpoints");
  const { count } = await tx
    .selectFrom("webhookEndpoints")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (count >= limit)
    throw new ApiError(
      "limit_reached",
      `The organization has ${count} webhook endpoints, and its limit is ${limit}. Delete one.`,
    );
}

/** Whoever changes what they have read would otherwise have nothing delivered any more. */
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
