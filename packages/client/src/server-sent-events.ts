import { RowmillConnectionError } from "./errors.ts";

/** One message of a stream (WHATWG, server-sent events); its data is JSON. */
export interface ServerSentEvent {
  /** Undefined for messages that cannot be taken up again. */
  id: string | undefined;
  event: string;
  data: unknown;
}

/** Messages end with an empty line; what is left without one belongs to a connection that broke off. */
const MAX_MESSAGE_CHARACTERS = 16 * 1024 * 1024;

/** `onId` gets every id, those of messages without data included: a stream is taken up again after the last one. */
export async function* parseServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  onId: (id: string) => void = () => {},
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    if (text.length > MAX_MESSAGE_CHARACTERS) throw new RowmillConnectionError("a message of the stream is too long");
    for (const message of messages) {
      const { id, event, data } = parseMessage(message);
      if (data !== undefined) yield { id, event, data };
      // After the message was taken: who leaves the loop while it has one gets it again.
      if (id !== undefined) onId(id);
    }
  }
  if (text.trim() !== "") throw new RowmillConnectionError("the stream broke off within a message");
}

/** Without data it only keeps the connection open, and may carry an id. */
function parseMessage(message: string): ServerSentEvent {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of message.split("\n")) {
    const [field = "", value = ""] = line.split(/: ?(.*)/s, 2);
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return { id, event, data: undefined };
  try {
    return { id, event, data: JSON.parse(data.join("\n")) as unknown };
  } catch (error) {
    throw new RowmillConnectionError("a message of the stream is not JSON", { cause: error });
  }
}
