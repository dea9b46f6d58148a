/** `GET /metrics` at an address of its own: it has no key, so only the operator's network may reach it. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "./config.ts";
import type { Metrics } from "./metrics.ts";
import type { Log } from "./platform/log.ts";

/** Scrapers are few. */
const MAX_CONNECTIONS = 32;

export interface MetricsServer {
  url: string;
  stop(): Promise<void>;
}

/** Undefined where there is none, or its port is taken: by another process of the same machine, which needs a port of its own. */
export async function startMetricsServer(
  metrics: Metrics,
  { ROWMILL_METRICS_HOST: host, ROWMILL_METRICS_PORT: port }: Config,
  log: Log,
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      (error: unknown) => {
        log.warn({ err: error }, "the metrics could not be read");
        response.writeHead(503).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  try {
    await listen(server, host, port);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    log.warn(
      `metrics are not served: ${host}:${port} is in use. Give this process another ROWMILL_METRICS_PORT, or set it to off.`,
    );
    return undefined;
  }
  const address = server.address() as AddressInfo; // it listens on TCP
  const url = `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}/metrics`;
  log.info(`metrics are served at ${url}`);
  return {
    url,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
