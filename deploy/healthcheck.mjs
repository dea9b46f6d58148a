// Whether the service of this container responds: exit code 0, or 1 with the reason. The image has no curl.
const { ROWMILL_PORT: port = "8080", ROWMILL_HOST: host = "0.0.0.0" } = process.env;
/** Below the timeout of the HEALTHCHECK. */
const TIMEOUT_MS = 4_000;
const WILDCARDS = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
const own = WILDCARDS[host] ?? (host.includes(":") ? `[${host}]` : host);

try {
  const response = await fetch(`http://${own}:${port}/healthz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`status ${response.status}`);
} catch (error) {
  console.error(
    error instanceof Error
      ? `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ""}`
      : error,
  );
  process.exitCode = 1;
}
