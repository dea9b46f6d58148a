import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  AcceptedInvitation,
  ApiKey,
  AuditEvent,
  Body,
  CreateOptions,
  CreatedApiKey,
  CreatedInvitation,
  Invitation,
  ListQuery,
  Member,
  Organization,
  RequestOptions,
} from "../types.ts";

export class Organizations {
  readonly apiKeys: ApiKeys;
  readonly invitations: Invitations;
  readonly members: Members;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.apiKeys = new ApiKeys(transport);
    this.invitations = new Invitations(transport);
    this.members = new Members(transport);
  }

  create(body: Body<"createOrganization">, options?: CreateOptions): Promise<Organization> {
    return this.#transport.json("POST", "/v1/organizations", { ...options, body });
  }

  list(query?: ListQuery<"listOrganizations">, options?: RequestOptions): List<Organization> {
    return list(this.#transport, "/v1/organizations", { query, options });
  }

  get(organizationId: string, options?: RequestOptions): Promise<Organization> {
    return this.#transport.json("GET", "/v1/organizations/{organizationId}", { ...options, path: { organizationId } });
  }

  /**
   * Changes name and metadata, and with the admin key also limits and state: `state: "suspended"` shuts the organization out, `"active"`
   * lets it in again.
   */
  update(organizationId: string, body: Body<"updateOrganization">, options?: RequestOptions): Promise<Organization> {
    return this.#transport.json("PATCH", "/v1/organizations/{organizationId}", {
      ...options,
      path: { organizationId },
      body,
    });
  }

  /** What was changed, and by whom; newest first. */
  auditEvents(
    organizationId: string,
    query?: ListQuery<"listAuditEvents", { type: AuditEvent["type"]; actorType: AuditEvent["actorType"] }>,
    options?: RequestOptions,
  ): List<AuditEvent> {
    return list(this.#transport, "/v1/organizations/{organizationId}/audit-events", {
      path: { organizationId },
      query,
      options,
    });
  }
}

export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The response's `key` is shown this once. */
  create(organizationId: string, body: Body<"createApiKey">, options?: CreateOptions): Promise<CreatedApiKey> {
    const path = { organizationId };
    return this.#transport.json("POST", "/v1/organizations/{organizationId}/api-keys", { ...options, path, body });
  }

  list(organizationId: string, query?: ListQuery<"listApiKeys">, options?: RequestOptions): List<ApiKey> {
    return list(this.#transport, "/v1/organizations/{organizationId}/api-keys", {
      path: { organizationId },
      query,
      options,
    });
  }

  get(organizationId: string, apiKeyId: string, options?: RequestOptions): Promise<ApiKey> {
    const path = { organizationId, apiKeyId };
    return this.#transport.json("GET", "/v1/organizations/{organizationId}/api-keys/{apiKeyId}", { ...options, path });
  }

  /** Works at once; the key stays in the list with `revokedAt`. `cascade` also revokes what was made with it, and so on. */
  revoke(
    organizationId: string,
    apiKeyId: string,
    { cascade, ...options }: RequestOptions & { cascade?: boolean | undefined } = {},
  ): Promise<undefined> {
    const path = { organizationId, apiKeyId };
    return this.#transport.json("DELETE", "/v1/organizations/{organizationId}/api-keys/{apiKeyId}", {
      ...options,
      path,
      query: { cascade },
    });
  }
}

export class Invitations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The response's `inviteUrl` is shown this once; the service sends it by e-mail, too, where it can. */
  create(organizationId: string, body: Body<"createInvitation">, options?: CreateOptions): Promise<CreatedInvitation> {
    const path = { organizationId };
    return this.#transport.json("POST", "/v1/organizations/{organizationId}/invitations", { ...options, path, body });
  }

  list(
    organizationId: string,
    query?: ListQuery<"listInvitations", { state: Invitation["state"] }>,
    options?: RequestOptions,
  ): List<Invitation> {
    return list(this.#transport, "/v1/organizations/{organizationId}/invitations", {
      path: { organizationId },
      query,
      options,
    });
  }

  get(organizationId: string, invitationId: string, options?: RequestOptions): Promise<Invitation> {
    const path = { organizationId, invitationId };
    return this.#transport.json("GET", "/v1/organizations/{organizationId}/invitations/{invitationId}", {
      ...options,
      path,
    });
  }

  revoke(organizationId: string, invitationId: string, options?: RequestOptions): Promise<undefined> {
    const path = { organizationId, invitationId };
    return this.#transport.json("DELETE", "/v1/organizations/{organizationId}/invitations/{invitationId}", {
      ...options,
      path,
    });
  }

  /** `token` is what stands behind `#token=` in the link. No key is needed; the response holds the new member's. */
  accept(body: Body<"acceptInvitation">, options?: CreateOptions): Promise<AcceptedInvitation> {
    return this.#transport.json("POST", "/v1/invitations/accept", { ...options, body });
  }
}

export class Members {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(organizationId: string, query?: ListQuery<"listMembers">, options?: RequestOptions): List<Member> {
    return list(this.#transport, "/v1/organizations/{organizationId}/members", {
      path: { organizationId },
      query,
      options,
    });
  }

  get(organizationId: string, memberId: string, options?: RequestOptions): Promise<Member> {
    const path = { organizationId, memberId };
    return this.#transport.json("GET", "/v1/organizations/{organizationId}/members/{memberId}", { ...options, path });
  }

  /** Changes the role, and with it what the keys of the member may do. */
  update(
    organizationId: string,
    memberId: string,
    body: Body<"updateMember">,
    options?: RequestOptions,
  ): Promise<Member> {
    return this.#transport.json("PATCH", "/v1/organizations/{organizationId}/members/{memberId}", {
      ...options,
      path: { organizationId, memberId },
      body,
    });
  }

  /** Revokes the keys that the member holds. */
  remove(organizationId: string, memberId: string, options?: RequestOptions): Promise<undefined> {
    const path = { organizationId, memberId };
    return this.#transport.json("DELETE", "/v1/organizations/{organizationId}/members/{memberId}", {
      ...options,
      path,
    });
  }
}
