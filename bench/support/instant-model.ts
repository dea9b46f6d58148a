/** A process of its own that responds to every chat completion at once, in the style of OpenAI. Prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const respond = (number: number): string =>
  JSON.stringify({
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: "instant",
    choices: [{ index: 0, message: { role: "assistant", content: '{"label":"positive"}' }, finish_reason: "stop" }],
    usage: { prompt_tokens: 50, completion_tokens: 6, total_tokens: 56 },
  });

let calls = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(respond(++calls));
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
