/** What a client is made with. */
export interface RowmillOptions {
  /** An organization's key, or the admin key. In Node, if absent: `ROWMILL_API_KEY`, or that of the profile. */
  apiKey?: string | undefined;
  /** In a page that the service itself serves: requests are made by the cookie of its session (see `session`), and carry no key. */
  usesCookie?: boolean | undefined;
  /** Where the service is, such as `https://rowmill.example.com`; a path is kept. In Node, if absent: `ROWMILL_URL`, or the profile. */
  baseUrl?: string | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Longest time for one attempt; of an upload or a stream, the longest time in which nothing moves. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. */
  maxRetries?: number | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** How waits between attempts are made; a test need not wait. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}
