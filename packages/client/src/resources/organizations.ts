import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type { ApiKey, Body, CreateOptions, CreatedApiKey, ListQuery, Organization, RequestOptions } from "../types.ts";

export class Organizations {
  readonly apiKeys: ApiKeys;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.apiKeys = new ApiKeys(transport);
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

  /** Changes name, limits and metadata; `state: "suspended"` shuts the organization out, `"active"` lets it in again. */
  update(organizationId: string, body: Body<"updateOrganization">, options?: RequestOptions): Promise<Organization> {
    return this.#transport.json("PATCH", "/v1/organizations/{organizationId}", {
      ...options,
      path: { organizationId },
      body,
    });
  }
}

export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The answer's `key` is shown this once. */
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

  /** Works at once; the key stays in the list with `revokedAt`. */
  revoke(organizationId: string, apiKeyId: string, options?: RequestOptions): Promise<undefined> {
    const path = { organizationId, apiKeyId };
    return this.#transport.json("DELETE", "/v1/organizations/{organizationId}/api-keys/{apiKeyId}", {
      ...options,
      path,
    });
  }
}
