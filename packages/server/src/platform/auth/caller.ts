/** Who asks. Resources receive a caller of the kind that the operation's access allows. */
import type { ErrorCode } from "@rowmill/contract/errors";
import type { Operation } from "@rowmill/contract/operation";
import type { Scope } from "@rowmill/contract/scopes";

interface Asked {
  requestId: string;
  ip: string;
}

/** The session of a browser whose cookie has come with the request; null where a key was sent. */
export interface CallerSession {
  id: string;
  expiresAt: Date;
}

export interface OrganizationCaller extends Asked, KeyIdentity {
  kind: "organization";
  session: CallerSession | null;
  scopes: ReadonlySet<Scope>;
  /** Aborts when the connection of the request closes. Absent where the caller was not made from its own request. */
  clientLeft?: () => AbortSignal;
}
export interface AdminCaller extends Asked {
  kind: "admin";
  session: CallerSession | null;
}
/** The service itself, where a task acts by itself (a purge, a retention). */
export interface SystemCaller {
  kind: "system";
}
export interface PublicCaller extends Asked {
  kind: "public";
}
/** A person who has no key yet: who accepts an invitation. */
export interface MemberCaller extends Asked {
  kind: "member";
  memberId: string;
}

export type KeyCaller = OrganizationCaller | AdminCaller;
/** A caller that can change something. */
export type Caller = KeyCaller | MemberCaller | PublicCaller | SystemCaller;

export type CallerOf<O extends Operation> = O["access"]["by"] extends "organization"
  ? OrganizationCaller
  : O["access"]["by"] extends "admin"
    ? AdminCaller
    : O["access"]["by"] extends "public"
      ? PublicCaller
      : KeyCaller;

/** A key that exists, whether or not it may be used. */
export interface KeyIdentity {
  organizationId: string;
  apiKeyId: string;
  memberId: string | null;
}

/** Requests a minute that a key may make, together with the keys that were made with it. */
export interface KeyLimit {
  keyId: string;
  perMinute: number;
}

/** Requests a minute, where the organization or the key has a limit of its own. */
export interface RequestLimits {
  organization: number | null;
  /** The key's own limit, and those of the keys it descends from; the strictest first. */
  keys: readonly KeyLimit[];
}

/** What a request may show: a key in its header, or else the token of a session in its cookie. */
export interface Credentials {
  authorization: string | undefined;
  sessionToken: string | undefined;
}

export interface OrganizationKey extends KeyIdentity {
  kind: "organization";
  session: CallerSession | null;
  scopes: ReadonlySet<Scope>;
  requestsPerMinute: RequestLimits;
}

/** What a key turns out to be. Throws an `ApiError` of status 401 or 403 for one that may not be used. */
export type Authenticate = (
  credentials: Credentials,
) => Promise<{ kind: "admin"; session: CallerSession | null } | OrganizationKey>;

/** What this process has read of a key, and `version` by which the database can confirm that it still holds. */
export interface KnownKey {
  key: OrganizationKey;
  version: string;
}

/** Undefined where the key has to be read: it is not known, has expired, or its use has to be noted. */
export type FindKnownKey = (authorization: string) => KnownKey | undefined;

/** An attempt of a known key that was refused. */
export interface Denial extends KeyIdentity, Asked {
  code: ErrorCode;
  requiredScopes: readonly string[];
  method: string;
  path: string;
}
