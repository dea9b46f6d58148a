/** Requests and responses of model providers, whether they travel one by one or in files. */

/** What goes to a provider, without credentials. */
export interface ProviderRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ProviderResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}
