/** The model that the pictures and tests of the console call. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A provider in the style of OpenAI: labels reviews, and fails for some of them as providers do; below `/denied/` it refuses every key. It
 * receives webhooks, too.
 */
export async function startModel(): Promise<{ origin: string; server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const send = (status: number, body: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      };
      if (request.url?.startsWith("/hooks/failing") === true)
        return send(503, { error: "database is read-only <b>now</b>", trace: "9f3k-\u202Etxt" });
      if (request.url?.startsWith("/hooks/") === true) return send(200, { stored: true });
      if (request.url?.startsWith("/denied/") === true)
        return send(401, { error: { message: "Incorrect API key provided.", code: "invalid_api_key" } });
      if (request.method === "GET") return send(200, { data: [{ id: "house-large" }, { id: "house-small" }] });
      const prompt = Buffer.concat(chunks).toString();
      const number = Number(/Review (\d+)/.exec(prompt)?.[1] ?? 0);
      if (number % 23 === 7)
        return send(400, {
          error: { message: "The response was filtered: it names a person.", code: "content_filter" },
        });
      const text =
        number % 17 === 3
          ? '{"sentiment":"unsure","topics":[]}'
          : JSON.stringify({
              sentiment: ["positive", "negative", "neutral"][number % 3],
              topics: ["delivery", "price"].slice(0, 1 + (number % 2)),
            });
      send(200, {
        id: `chatcmpl-${number}`,
        object: "chat.completion",
        created: 1,
        model: "house-small-2026-09",
        choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
        usage: { prompt_tokens: 180 + (number % 60), completion_tokens: 24, total_tokens: 204 + (number % 60) },
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
