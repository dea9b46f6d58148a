/**
 * Every error code that the API returns, with its status, what it means and what to do. Served at `GET /v1/error-codes`;
 * operations list the codes that are particular to them, and `commonErrors` come with every operation.
 */
interface ErrorCodeEntry {
  status: number;
  meaning: string;
  action: string;
  retryable?: true;
}

export const errorCodes = {
  invalid_request: {
    status: 400,
    meaning: "The body, or a part of it, has the wrong shape.",
    action: "Correct the members named in `details`.",
  },
  invalid_json: {
    status: 400,
    meaning: "The body is not JSON that the service accepts.",
    action: "Send UTF-8 JSON, at most 64 levels deep, without `\\u0000`, lone surrogates or `__proto__`.",
  },
  unknown_field: {
    status: 400,
    meaning: "The body has a member that does not exist.",
    action: "Remove or rename the member named in `param`.",
  },
  invalid_parameter: {
    status: 400,
    meaning: "A query parameter is unknown or has a bad value.",
    action: "Correct the parameter named in `param`.",
  },
  invalid_limit: {
    status: 400,
    meaning: "`limit` is not an integer from 1 to 1000.",
    action: "Send a `limit` in that range, or none.",
  },
  invalid_cursor: {
    status: 400,
    meaning: "The cursor is damaged, or belongs to another list, filter or organization.",
    action: "Start again without `cursor`, with the filters you want.",
  },
  idempotency_key_required: {
    status: 400,
    meaning: "This route needs an `Idempotency-Key` header.",
    action: "Send a new unique key per intended operation; repeat it only to repeat the request.",
  },
  idempotency_key_invalid: {
    status: 400,
    meaning: "The `Idempotency-Key` is not 1 to 255 visible ASCII characters.",
    action: "Send, for example, a UUID.",
  },
  authentication_required: {
    status: 401,
    meaning: "There is no `Authorization: Bearer` header.",
    action: "Send your API key.",
  },
  invalid_api_key: { status: 401, meaning: "The API key is unknown.", action: "Check that the whole key was copied." },
  api_key_expired: { status: 401, meaning: "The API key has expired.", action: "Create a new key." },
  api_key_revoked: { status: 401, meaning: "The API key was revoked.", action: "Use another key." },
  budget_exceeded: {
    status: 402,
    meaning: "The budget of the run is used up, so that it cannot be resumed.",
    action: "Raise `budget.maxCostUsd` of the run, then resume it.",
  },
  session_ended: {
    status: 401,
    meaning: "The session of the cookie has ended, or somebody has signed out.",
    action: "Sign in again.",
  },
  login_link_invalid: {
    status: 401,
    meaning: "The login link was used before, or is older than an hour.",
    action: "Restart the service for a new link, or sign in with an API key.",
  },
  origin_not_allowed: {
    status: 403,
    meaning: "A request that changes something by the cookie of a session comes from a page of another origin.",
    action:
      "Send an API key as `Authorization: Bearer <key>`; or set `ROWMILL_PUBLIC_URL` to where browsers reach the service.",
  },
  insufficient_scope: {
    status: 403,
    meaning: "The key lacks a scope that this operation requires.",
    action: "Use a key with the scopes in `requiredScopes`.",
  },
  admin_required: { status: 403, meaning: "Only the admin key may do this.", action: "Use the admin key." },
  organization_key_required: {
    status: 403,
    meaning: "The admin key cannot read or change an organization's resources.",
    action: "Use a key of the organization.",
  },
  organization_suspended: {
    status: 403,
    meaning: "The organization is suspended.",
    action: "Ask the operator of the service.",
  },
  not_found: {
    status: 404,
    meaning: "The resource does not exist, or it belongs to another organization.",
    action: "Check the id.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, but not with this method.",
    action: "Use a method of the `Allow` header.",
  },
  not_acceptable: {
    status: 406,
    meaning: "The operation has no response format that `Accept` allows.",
    action: "Accept `application/json`.",
  },
  idempotency_conflict: {
    status: 409,
    meaning: "The `Idempotency-Key` was used with another body.",
    action: "Use a new key for a new operation.",
  },
  idempotency_in_progress: {
    status: 409,
    meaning: "The first request with this key is still being worked on.",
    action: "Repeat the request after `Retry-After`.",
    retryable: true,
  },
  invalid_state: {
    status: 409,
    meaning: "The resource is in a state that does not allow this operation.",
    action: "Read its state; the message says which states allow it.",
  },
  already_exists: { status: 409, meaning: "Something with this unique value exists.", action: "Choose another value." },
  dataset_not_ready: {
    status: 409,
    meaning: "The dataset is still being read, or its intake failed.",
    action: "Wait until its state is `ready`.",
  },
  resource_in_use: {
    status: 409,
    meaning: "Something else still needs this.",
    action: "End or delete what the message names.",
  },
  limit_reached: {
    status: 409,
    meaning: "A limit of the organization is reached.",
    action: "Free something, or ask the operator to raise the limit.",
  },
  upload_offset_mismatch: {
    status: 409,
    meaning: "`Upload-Offset` is not where the content that has arrived ends.",
    action: "Read the offset with `HEAD`, and resume there.",
  },
  export_expired: {
    status: 410,
    meaning: "The export's file was deleted at the end of its life.",
    action: "Create the export again.",
  },
  precondition_failed: {
    status: 412,
    meaning:
      "`If-Match` does not match: somebody has changed the resource. Or `Tus-Resumable` is no version that is served.",
    action: "Read it again and repeat the change; send `Tus-Resumable: 1.0.0`.",
  },
  payload_too_large: {
    status: 413,
    meaning: "The body is larger than this route takes.",
    action: "Send less, or upload the rows as content.",
  },
  unsupported_media_type: {
    status: 415,
    meaning: "The content type or encoding is not supported here.",
    action: "Send `application/json` without `Content-Encoding`.",
  },
  range_not_satisfiable: {
    status: 416,
    meaning: "The `Range` begins behind the end of the file.",
    action: "See the file's size in `Content-Range`.",
  },
  webhook_url_not_allowed: {
    status: 422,
    meaning: "The URL is not a public HTTPS URL on the default port.",
    action:
      "See `reason` and correct the URL. Receivers inside the operator's network need `ROWMILL_EGRESS_CONNECT_OVERRIDES`, which the operator sets.",
  },
  source_url_not_allowed: {
    status: 422,
    meaning: "The URL to fetch a dataset from is not a public HTTPS URL on the default port.",
    action: "See `reason` and correct the URL, or send the file with `source.type: upload`.",
  },
  connection_url_not_allowed: {
    status: 422,
    meaning:
      "The URL is neither a public HTTPS URL on the default port, nor of an origin that the operator has allowed.",
    action:
      "See `reason` and correct the URL, or ask the operator to allow its origin with `ROWMILL_CONNECTION_ALLOWED_ORIGINS`.",
  },
  job_spec_invalid: {
    status: 422,
    meaning: "The processor cannot work as described.",
    action: "Correct what `details` names.",
  },
  schema_invalid: {
    status: 422,
    meaning: "A JSON Schema does not compile.",
    action: "Correct the schema named in `param`.",
  },
  scope_invalid: { status: 422, meaning: "The scope can select nothing.", action: "Correct what the message names." },
  nothing_to_retry: {
    status: 422,
    meaning: "The selection holds no row.",
    action: "Choose another selection, or leave it: there may be nothing to do.",
  },
  event_type_unknown: { status: 422, meaning: "There is no such event type.", action: "See `GET /v1/event-types`." },
  condition_invalid: {
    status: 422,
    meaning: "The CEL expression does not compile.",
    action: "Correct the expression.",
  },
  upload_in_progress: {
    status: 423,
    meaning: "Another request is sending content to this upload session.",
    action: "Repeat the request after `Retry-After`, from the offset that `HEAD` returns.",
    retryable: true,
  },
  rate_limited: { status: 429, meaning: "Too many requests.", action: "Wait as `Retry-After` says.", retryable: true },
  internal_error: {
    status: 500,
    meaning: "An error of the service.",
    action: "Repeat the request; report the request id to the operator.",
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    meaning: "The database or the store cannot be reached, or the service is stopping.",
    action: "Repeat the request after `Retry-After`.",
    retryable: true,
  },
  insufficient_storage: {
    status: 507,
    meaning: "The service has too little free space to store more.",
    action: "Repeat the request after `Retry-After`; if it lasts, report it to the operator.",
    retryable: true,
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
export const errorCodeNames = Object.keys(errorCodes) as ErrorCode[];
export const statusOf = (code: ErrorCode): number => errorCodes[code].status;
export const isRetryable = (code: ErrorCode): boolean => "retryable" in errorCodes[code];
