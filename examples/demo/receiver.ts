/** The demo's webhook receiver: what a customer would write, and a certificate such as a customer would have. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { verifyWebhook } from "@rowmill/client/webhooks";
import type { WebhookEvent } from "@rowmill/client/webhooks";
import { createTestAuthority } from "../../packages/server/src/testing/certificates.ts";

export const RECEIVER_HOST = "hooks.example.com";

export interface DemoReceiver {
  /** Settings by which the service reaches the receiver: its name leads to this machine, its authority is trusted. */
  settings: Record<string, string>;
  /** The signing secret of the endpoint, once it is known. */
  secret: string;
  /** Events whose signature was verified. */
  verified: WebhookEvent[];
  waitFor(eventId: string, timeoutMs: number): Promise<WebhookEvent>;
  close(): Promise<void>;
}

export async function startReceiver(directory: string): Promise<DemoReceiver> {
  const authority = createTestAuthority();
  const authorityFile = join(directory, "receiver-authority.pem");
  writeFileSync(authorityFile, authority.cert);
  const waiting = new Set<() => void>();

  const server = createServer(authority.issue({ hosts: [RECEIVER_HOST] }), (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      verifyWebhook({ payload: Buffer.concat(chunks), headers: request.headers, secret: receiver.secret }).then(
        (event) => {
          receiver.verified.push(event);
          response.writeHead(204).end();
          for (const look of waiting) look();
        },
        // A receiver that cannot verify says so, and the delivery is tried again.
        () => response.writeHead(400).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const receiver: DemoReceiver = {
    settings: {
      ROWMILL_EGRESS_CONNECT_OVERRIDES: `${RECEIVER_HOST}:443=127.0.0.1:${port}`,
      ROWMILL_EGRESS_EXTRA_CA: authorityFile,
    },
    secret: "",
    verified: [],
    waitFor(eventId, timeoutMs) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = receiver.verified.find((event) => event.id === eventId);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`the event ${eventId} was not received and verified within ${timeoutMs / 1000} seconds`));
        }, timeoutMs);
        waiting.add(look);
        look();
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
