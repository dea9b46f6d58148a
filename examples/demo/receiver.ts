/** The demo's webhook receiver: what a customer would write. */
import { createServer } from "node:http";
import { verifyWebhook } from "@rowmill/client/webhooks";
import type { WebhookEvent } from "@rowmill/client/webhooks";

export interface DemoReceiver {
  url: string;
  /** The signing secret of the endpoint, once it is known. */
  secret: string;
  /** Whether the event came with a right signature. */
  hasVerified(eventId: string): boolean;
  /** The same, as soon as it came; false after the timeout. */
  waitFor(eventId: string, timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export async function startReceiver(port: number): Promise<DemoReceiver> {
  const verified = new Set<string>();
  const waiting = new Set<(event: WebhookEvent) => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      verifyWebhook({ payload: Buffer.concat(chunks), headers: request.headers, secret: receiver.secret }).then(
        (event) => {
          verified.add(event.id);
          response.writeHead(204).end();
          for (const inform of waiting) inform(event);
        },
        // A receiver that cannot verify responds with an error, and the delivery is retried.
        () => response.writeHead(400).end(),
      );
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const receiver: DemoReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    secret: "",
    hasVerified: (eventId) => verified.has(eventId),
    waitFor(eventId, timeoutMs) {
      if (verified.has(eventId)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (has: boolean): void => {
          clearTimeout(timer);
          waiting.delete(inform);
          resolve(has);
        };
        const inform = ({ id }: WebhookEvent): void => {
          if (id === eventId) end(true);
        };
        const timer = setTimeout(() => end(false), timeoutMs);
        waiting.add(inform);
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
