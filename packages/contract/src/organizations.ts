import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import {
  Closed,
  Enum,
  Id,
  Integer,
  Metadata,
  Name,
  Nullable,
  SafeCount,
  Timestamp,
  Usd,
  component,
} from "./schemas.ts";

export const organizationStates = ["active", "suspended"] as const;

export const organizationLimits = {
  rowsPerRun: "Rows one run may have.",
  runsInProgress: "Runs in progress at once; more wait as `queued`.",
  webhookEndpoints: "Webhook endpoints.",
  apiKeys: "Active API keys.",
  requestsPerMinute: "API requests a minute.",
  storageBytes: "Bytes stored: uploads, datasets, results and exports.",
} as const;
export type OrganizationLimit = keyof typeof organizationLimits;

const LimitsBody = Closed(
  {
    rowsPerRun: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))),
    runsInProgress: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
    webhookEndpoints: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
    apiKeys: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
    requestsPerMinute: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 }))),
    storageBytes: Type.Optional(Nullable(Integer())),
  },
  { description: "Limits of this organization; null or absent means the service's default." },
);

export const OrganizationSchema = component(
  "Organization",
  Type.Object({
    id: Id("organization"),
    name: Type.String(),
    slug: Nullable(Type.String()),
    state: Enum(organizationStates),
    limits: Type.Record(Type.String(), Nullable(Integer())),
    usage: Type.Object({
      runsInProgress: SafeCount("Runs that are not ended."),
      webhookEndpoints: SafeCount("Webhook endpoints."),
      apiKeys: SafeCount("Keys that are neither revoked nor expired."),
      datasets: SafeCount("Datasets."),
      storageBytes: SafeCount(
        "Bytes stored: contents of uploads until they are read, datasets (compressed), results of runs, files of exports. With " +
          "what open upload sessions reserve: `source.sizeBytes`, or as much as a dataset may have. Results count after seconds.",
      ),
      thisMonth: Type.Object(
        {
          requests: SafeCount("Calls to the outside."),
          inputTokens: SafeCount("Tokens sent to models."),
          outputTokens: SafeCount("Tokens received from models."),
          costUsd: Nullable(Usd("What the calls cost; null when some price is not known.")),
        },
        { description: "What its runs have used since the first of the month (UTC); more is at `GET /v1/usage`." },
      ),
    }),
    metadata: Metadata,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);
export type Organization = Static<typeof OrganizationSchema>;

const slug = Type.String({
  pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
  "x-hint":
    "Use 1 to 63 lowercase letters, digits and hyphens, with no hyphen at the beginning or end, such as acme-labs.",
  description: "A unique short name: lower-case letters, digits and inner hyphens.",
});

export const organizationOperations = {
  createOrganization: operation({
    method: "POST",
    path: "/v1/organizations",
    tag: "Organizations",
    summary: "Create an organization",
    access: { by: "admin" },
    idempotency: "required",
    body: Closed({
      name: Name("What people call it; names may repeat.", "Acme"),
      slug: Type.Optional(slug),
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 201, schema: OrganizationSchema },
    location: "/v1/organizations/{id}",
    errors: ["already_exists"],
  }),
  listOrganizations: operation({
    method: "GET",
    path: "/v1/organizations",
    tag: "Organizations",
    summary: "List organizations",
    access: { by: "admin" },
    idempotency: "none",
    filters: {},
    response: { status: 200, schema: ListOf(OrganizationSchema) },
    errors: [],
  }),
  getOrganization: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}",
    tag: "Organizations",
    summary: "Read an organization",
    access: { by: "organization_or_admin", scopes: ["organization:read"] },
    idempotency: "none",
    params: { organizationId: "organization" },
    response: { status: 200, schema: OrganizationSchema },
    errors: ["not_found"],
  }),
  updateOrganization: operation({
    method: "PATCH",
    path: "/v1/organizations/{organizationId}",
    tag: "Organizations",
    summary: "Change an organization",
    description:
      "`state: suspended` refuses its keys with 403 at once, pauses its runs and holds its webhook deliveries and alerts back; `active` lifts that. " +
      "A key of the organization can change `name` and `metadata`; `state` and `limits` are the admin's (403 `admin_required`).",
    access: { by: "organization_or_admin", scopes: ["organization:write"] },
    idempotency: "none",
    params: { organizationId: "organization" },
    body: Closed({
      name: Type.Optional(Name("What people call it.", "Acme")),
      state: Type.Optional(Enum(organizationStates)),
      limits: Type.Optional(LimitsBody),
      metadata: Type.Optional(Metadata),
    }),
    response: { status: 200, schema: OrganizationSchema },
    errors: ["not_found", "admin_required"],
  }),
};
