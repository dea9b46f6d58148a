/** Sessions of browsers: an API key or a login link, exchanged for a cookie that scripts cannot read. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { Closed, Enum, Id, Nullable, OneOf, Timestamp, component } from "./schemas.ts";
import { scopes } from "./scopes.ts";

/** Of a request by a cookie: the key that the session was begun with, `admin` for the operator's. */
export const SESSION_KEY_HEADER = "Rowmill-Session-Key";

/** The longest of our tokens has 42 characters; a pasted text of megabytes is not worth a digest. */
const MAX_TOKEN_LENGTH = 256;

export const SessionSchema = component(
  "Session",
  Type.Object(
    {
      by: Enum(["api_key", "session"], {
        description: "Whether the request has sent a key, or the cookie of a session.",
      }),
      kind: Enum(["admin", "organization"]),
      organizationId: Nullable(Id("organization")),
      organizationName: Nullable(Type.String()),
      apiKeyId: Nullable(Id("apiKey", "The key that was exchanged for the session. The session ends with it.")),
      memberId: Nullable(Id("member")),
      scopes: Type.Array(Enum(scopes)),
      expiresAt: Nullable(Timestamp("When the session ends; null where the request has sent a key.")),
    },
    { description: "Who makes the request." },
  ),
);
export type Session = Static<typeof SessionSchema>;

export const sessionOperations = {
  createSession: operation({
    method: "PUT",
    path: "/v1/session",
    tag: "Sessions",
    summary: "Sign a browser in",
    description:
      "Exchanges an API key, the admin key, or the token of a login link for the cookie of a session (`HttpOnly`, `SameSite=Strict`, " +
      "`Secure` where the public URL is https). The session can do what the key can do, ends with the key, and at the latest after " +
      "`ROWMILL_SESSION_EXPIRY_HOURS`. A request with an `Authorization` header ignores the cookie. A request that changes " +
      "something by a cookie must come from a page of the service itself: otherwise 403 `origin_not_allowed`. All tabs of a browser have " +
      `one cookie: a page that was opened in a session sends the session's \`apiKeyId\` (\`admin\` for the admin key) as \`${SESSION_KEY_HEADER}\`, ` +
      "and is refused with 401 `session_ended` when another key has signed in since. A login link works once: " +
      "it makes a key for the only organization (which it creates if necessary), or signs in as the admin where there are several.",
    access: { by: "public" },
    idempotency: "none",
    body: OneOf("by", [
      Closed(
        {
          by: Type.Literal("api_key"),
          apiKey: Type.String({
            minLength: 1,
            maxLength: MAX_TOKEN_LENGTH,
            description: "A key of an organization, or the admin key.",
            examples: ["rmk_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM"],
          }),
        },
        { title: "api_key" },
      ),
      Closed(
        {
          by: Type.Literal("login_link"),
          token: Type.String({
            minLength: 1,
            maxLength: MAX_TOKEN_LENGTH,
            description: "What stands behind `#token=` in the link that the service prints at its start.",
            examples: ["rml_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM"],
          }),
        },
        { title: "login_link" },
      ),
    ]),
    response: { status: 200, schema: SessionSchema },
    setsCookie: true,
    errors: [
      "invalid_api_key",
      "api_key_expired",
      "api_key_revoked",
      "login_link_invalid",
      "origin_not_allowed",
      "organization_suspended",
      "limit_reached",
    ],
  }),
  getSession: operation({
    method: "GET",
    path: "/v1/session",
    tag: "Sessions",
    summary: "Read who is signed in",
    access: { by: "any" },
    idempotency: "none",
    response: { status: 200, schema: SessionSchema },
    errors: [],
  }),
  deleteSession: operation({
    method: "DELETE",
    path: "/v1/session",
    tag: "Sessions",
    summary: "Sign a browser out",
    description:
      "Ends the session of the request's cookie at once, on every process. A request that has sent a key has no session: 409 `invalid_state`.",
    access: { by: "any" },
    idempotency: "none",
    response: { status: 204 },
    setsCookie: true,
    errors: ["invalid_state"],
  }),
};
