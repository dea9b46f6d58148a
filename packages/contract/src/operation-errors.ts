import type { ErrorCode } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** Errors that any operation may return, by what the operation is like. */
export function errorsOf(o: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    "internal_error",
    "service_unavailable",
    "rate_limited",
    "invalid_parameter",
    ...o.errors,
  ]);
  if (o.access.by !== "public") {
    for (const code of ["authentication_required", "invalid_api_key", "api_key_expired", "api_key_revoked"] as const)
      codes.add(code);
    codes.add("organization_suspended").add("session_ended");
    if (o.method !== "GET") codes.add("origin_not_allowed");
  }
  if (o.access.by === "organization") codes.add("organization_key_required").add("insufficient_scope");
  if (o.access.by === "organization_or_admin") codes.add("insufficient_scope");
  if (o.access.by === "admin") codes.add("admin_required");
  if (o.plain !== true) {
    if (o.method === "GET") codes.add("not_acceptable");
    else
      // Also where no body is taken: one may be sent.
      for (const code of ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type"] as const)
        codes.add(code);
  }
  if (o.body) codes.add("unknown_field");
  if (o.method === "PATCH" || o.method === "DELETE") codes.add("precondition_failed");
  if (o.filters) codes.add("invalid_limit").add("invalid_cursor");
  if (o.idempotency === "required") codes.add("idempotency_key_required");
  if (o.idempotency !== "none")
    for (const code of ["idempotency_key_invalid", "idempotency_conflict", "idempotency_in_progress"] as const)
      codes.add(code);
  return [...codes];
}
