/** The worker process: reads texts of megabytes, by the same functions that read smaller ones on the thread that serves requests. */
import { serveRequests } from "../platform/worker-process-port.ts";
import { renderPlain } from "./http/render-row.ts";
import { compileResponsePath, interpretOutput } from "./http/response.ts";
import type { LargeTextRequest, LargeTextTasks, PlainMessage } from "./large-text-protocol.ts";
import { findJson } from "./llm/find-json.ts";
import { compilePrompt } from "./llm/prompt.ts";
import type { Message } from "./llm/conversation.ts";
import { createRedact } from "./redact.ts";

// In an object: a process cannot be sent `undefined`.
serveRequests((request: LargeTextRequest) => ({ result: perform(request) }));

function perform(request: LargeTextRequest): LargeTextTasks[LargeTextRequest["task"]]["result"] {
  switch (request.task) {
    case "readResponse":
      return readResponse(request);
    case "redact":
      return createRedact(request.secret).body(request.text);
    case "findJson":
      return findJson(request.text) ?? null;
    case "renderRequest":
      return renderPlain(request);
    case "renderPrompt":
      return renderPrompt(request);
  }
}

function readResponse({ response, responsePath, secret }: LargeTextTasks["readResponse"]["request"]) {
  const { pick } = responsePath === undefined ? {} : compileResponsePath(responsePath);
  const { bytes, ...head } = response;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return interpretOutput({ ...head, body }, { pick }, { sentSecret: secret !== null, redact: createRedact(secret) });
}

function renderPrompt({
  messages,
  row,
}: LargeTextTasks["renderPrompt"]["request"]): LargeTextTasks["renderPrompt"]["result"] {
  // URLs are checked where the way out is known.
  const rendered = compilePrompt(messages, () => undefined).render(row);
  return "code" in rendered ? { failure: rendered } : { messages: rendered.map(toPlain) };
}

const toPlain = ({ role, parts }: Message): PlainMessage => ({
  role,
  parts: parts.map((part) =>
    part.type === "image" && part.url !== undefined ? { ...part, url: part.url.href } : part,
  ),
});
