/** What the service and a process of large texts send each other: one message each way. */
import type { ProcessorConfigOf } from "@rowmill/contract/processors";
import type { RowFailure } from "./processor.ts";

export type HttpConfig = ProcessorConfigOf<"http">;

/** A response as it was received, unpacked. */
export interface ReceivedResponse {
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
}

/** A message of a conversation; URLs of images are texts. */
export interface PlainMessage {
  role: "system" | "user" | "assistant";
  parts: readonly (
    | { type: "text"; text: string }
    | { type: "image"; mediaType: string; url: string; base64?: undefined }
    | { type: "image"; mediaType: string; url?: undefined; base64: string }
  )[];
}

/** By their names, what can be asked. */
export interface LargeTextTasks {
  /** The output that the response of an HTTP service is. */
  readResponse: {
    request: {
      response: ReceivedResponse;
      responsePath: string | undefined;
      /** Null: none was sent. */
      secret: string | null;
    };
    result: { ok: true; output: string } | { ok: false; failure: RowFailure };
  };
  /** A response of a provider without the secret of its connection. */
  redact: { request: { text: string; secret: string }; result: string };
  /** The JSON in a completion: as it stands there, and as an output. Null: there is none. */
  findJson: { request: { text: string }; result: { text: string; output: string } | null };
  /** The request of a row; its URL as a text. */
  renderRequest: {
    request: { config: HttpConfig; row: string; baseUrl: string | undefined; secret: string | null };
    result:
      | {
          request: {
            method: HttpConfig["method"];
            url: string;
            headers: Record<string, string>;
            body: string | undefined;
          };
        }
      | { failure: RowFailure };
  };
  /** The conversation of a row. What is to be fetched has not been checked. */
  renderPrompt: {
    request: { messages: ProcessorConfigOf<"llm">["messages"]; row: string };
    result: { messages: readonly PlainMessage[] } | { failure: RowFailure };
  };
}

export type LargeTextTask = keyof LargeTextTasks;

export type LargeTextRequest = { [T in LargeTextTask]: { task: T } & LargeTextTasks[T]["request"] }[LargeTextTask];
