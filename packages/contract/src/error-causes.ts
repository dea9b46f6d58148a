/** What usually stands behind an error of a request: for people who read the table of error codes. */
import type { ErrorCode } from "./errors.ts";

export const errorCauses: Readonly<Record<ErrorCode, string>> = {
  invalid_request: "A required member is missing, or a value has another type, form or range than the operation takes.",
  invalid_json: "The body was cut off, is not encoded as UTF-8, or was built from texts by hand.",
  unknown_field: "A name is misspelled, or the client was written for another version of the API.",
  invalid_parameter: "A filter is misspelled, or its operator or value does not fit the field.",
  invalid_limit: "The client asked for more than a page can have. Lists are read page by page, with `cursor`.",
  invalid_cursor: "The filters changed between two pages, or the cursor was cut.",
  idempotency_key_required: "Without the key, a repeated request would create a second resource.",
  idempotency_key_invalid: "The key has spaces, letters outside of ASCII or a line break, or is empty.",
  authentication_required: "The header is missing, has another scheme than `Bearer`, or was removed by a proxy.",
  invalid_api_key: "The key was cut or has spaces, belongs to another installation, or its organization was deleted.",
  api_key_expired: "The key was created with an expiry, which has passed.",
  api_key_revoked: "Somebody revoked the key, or one that it was made with.",
  budget_exceeded: "A run that has spent its budget is resumed without a larger one.",
  session_ended: "Sessions end after a time, when the key behind them ends, and when somebody signs out.",
  login_link_invalid: "A link works once. A browser or a chat program may have opened it in advance.",
  origin_not_allowed:
    "Browsers send the cookie from any page, so changes are accepted from the service's own origin only. Behind a proxy, `ROWMILL_PUBLIC_URL` must name the address in the browser.",
  insufficient_scope: "The key was created for other work.",
  admin_required: "Organizations, and limits of organizations, are the operator's.",
  organization_key_required: "The operator has no access to the data of organizations without a key of theirs.",
  organization_suspended: "The operator has suspended it.",
  not_found:
    "The id is of another kind, of another organization or installation, or the resource was deleted. The path may be misspelled, too.",
  method_not_allowed: "The method or the path is misspelled.",
  not_acceptable: "The client asks for a format that only some lists have, such as `application/x-ndjson`.",
  idempotency_conflict:
    "A client reuses keys, or makes them from something that is the same for two different requests.",
  idempotency_in_progress: "The client repeated a request whose first copy has not finished.",
  invalid_state: "The run has ended, the upload is complete, or another client was faster.",
  already_exists: "Another organization has the slug, or the address belongs to a member or has an invitation.",
  dataset_not_ready: "The rows of a new upload are read in the background.",
  resource_in_use: "Runs need their dataset and their connection, and a retry run needs the run before it.",
  limit_reached: "The organization has as many things, or stores as many bytes, as the operator allows.",
  upload_offset_mismatch: "A part arrived although its response was lost, or two clients send to one session.",
  export_expired: "Files of exports are kept for a limited time.",
  precondition_failed: "Another client wrote after this one had read, or a tus client uses another version.",
  payload_too_large: "Rows were sent in the body of an ordinary request, or a part of an upload is too large.",
  unsupported_media_type: "`Content-Type` is missing or of a form or file, or the client compresses bodies.",
  range_not_satisfiable: "The file that the client resumes has been made again, and is shorter.",
  webhook_url_not_allowed:
    "Webhooks go to public addresses only, so that no organization can reach what is inside the operator's network.",
  source_url_not_allowed:
    "The service fetches from public addresses only, so that no organization can read what is inside the operator's network.",
  connection_url_not_allowed:
    "The service calls public addresses only; local models and services are allowed by the operator, one origin at a time.",
  job_spec_invalid: "A template, an expression or the code has a mistake, or two settings do not go together.",
  schema_invalid: "A keyword is misspelled or has a value of a wrong type, or a `$ref` leads nowhere.",
  scope_invalid:
    "A range lies behind the last row, an id or index is not in the dataset, or an expression is wrong or matches no row.",
  nothing_to_retry: "No row of the run has the state, the code or the id that the selection names.",
  event_type_unknown: "The name or the pattern is misspelled.",
  condition_invalid: "A parenthesis or a quote is missing, or a name or a function does not exist.",
  upload_in_progress: "The connection of an earlier attempt broke off, and the service has not noticed yet.",
  rate_limited:
    "The key, its organization or its address sends more requests than it may, or has too many streams open.",
  internal_error: "A defect of the service. Its log has the cause, by the request id.",
  service_unavailable: "The database restarts or moves to another server, the service is overloaded, or it restarts.",
  insufficient_storage: "The disk of the service is nearly full, or announced uploads need what is left.",
};
