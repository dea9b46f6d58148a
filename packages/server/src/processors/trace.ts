/** What a row's calls have sent and got, for tests of job specs: redacted first, then cut. Runs keep none of it. */
import { cutText, storableText } from "../platform/text.ts";
import type { RowCall, TracedCall, TracedText } from "./processor.ts";
import type { Redact } from "./redact.ts";

/** Enough to see what a prompt became; twenty rows with their repair attempts stay below some megabytes. */
const MAX_TRACED_CHARACTERS = 8_192;
/** Of a body, in which the secret is looked for: escapes make its beginning shorter. */
const MAX_LOOKED_AT_CHARACTERS = 8 * MAX_TRACED_CHARACTERS;
const MAX_TRACED_HEADER_CHARACTERS = 512;
const MAX_TRACED_HEADERS = 50;
/** A row has at most six targets with four attempts each. */
export const MAX_TRACED_CALLS = 24;

interface Traced {
  request: { method: string; url: string; headers: Record<string, string>; body: string | undefined };
  response: { status: number; headers: Record<string, string>; body: string | undefined } | undefined;
  usage: RowCall | undefined;
}

export function traceCall({ request, response, usage }: Traced, redact: Redact): TracedCall {
  return {
    request: {
      method: request.method,
      url: cutText(redact.text(request.url), MAX_TRACED_CHARACTERS),
      headers: headersOf(request.headers, redact),
      ...textOf(request.body, redact),
    },
    response:
      response === undefined
        ? null
        : { status: response.status, headers: headersOf(response.headers, redact), ...textOf(response.body, redact) },
    usage: usage ?? null,
  };
}

function textOf(body: string | undefined, redact: Redact): TracedText {
  if (body === undefined) return { body: null, isCut: false };
  const text = storableText(redact.text(cutText(body, MAX_LOOKED_AT_CHARACTERS)));
  return {
    body: cutText(text, MAX_TRACED_CHARACTERS),
    isCut: body.length > MAX_LOOKED_AT_CHARACTERS || text.length > MAX_TRACED_CHARACTERS,
  };
}

const headersOf = (headers: Record<string, string>, redact: Redact): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_TRACED_HEADERS)
      .map(([name, value]) => [
        storableText(cutText(name, MAX_TRACED_HEADER_CHARACTERS)),
        cutText(storableText(redact.text(value)), MAX_TRACED_HEADER_CHARACTERS),
      ]),
  );
