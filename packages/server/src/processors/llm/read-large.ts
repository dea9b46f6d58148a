/** What of a row's call may be megabytes, and is then read in a process of its own (`../large-texts.ts`). */
import { isServiceStopping } from "../../platform/http/errors.ts";
import { LARGE_TEXT_CHARACTERS, LargeTextError } from "../large-texts.ts";
import type { LargeTextUser, LargeTexts } from "../large-texts.ts";
import type { PlainMessage } from "../large-text-protocol.ts";
import type { AttemptClock, RowFailure } from "../processor.ts";
import { redactHeaders, redactOf, redactResponse } from "../redact.ts";
import type { Message, Part } from "./conversation.ts";
import { findJson } from "./find-json.ts";
import type { FoundJson } from "./find-json.ts";
import { readImageUrl } from "./images.ts";
import type { LlmConfig } from "./llm-config.ts";
import type { Sent } from "./transport.ts";

export async function findLargeJson(
  largeTexts: LargeTexts,
  user: LargeTextUser,
  completion: string,
): Promise<FoundJson | undefined> {
  if (completion.length < LARGE_TEXT_CHARACTERS) return findJson(completion);
  return (await largeTexts.perform(user, { task: "findJson", text: completion })) ?? undefined;
}

type Responded = Extract<Sent, { outcome: "responded" }>;

/**
 * The whole response, before anybody reads it. Also when the time of the row is up, or the service stops: the call was made, and
 * counts.
 */
export async function withoutSecret(
  { largeTexts, clock, ...user }: LargeTextUser & { largeTexts: LargeTexts; clock: AttemptClock | undefined },
  sent: Responded,
  connection: { readonly secret: string | null },
): Promise<Sent> {
  const { response } = sent;
  const { secret } = connection;
  if (secret === null) return sent;
  if (response.body.length < LARGE_TEXT_CHARACTERS)
    return { outcome: "responded", response: redactResponse(response, redactOf(connection)) };
  const redact = () => largeTexts.perform(user, { task: "redact", text: response.body, secret });
  try {
    const body = await (clock === undefined ? redact() : clock.offTheClock(redact));
    return {
      outcome: "responded",
      response: { ...response, headers: redactHeaders(response.headers, redactOf(connection)), body },
    };
  } catch (error) {
    if (isServiceStopping(error)) return { outcome: "aborted", wasSent: true };
    if (!(error instanceof LargeTextError)) throw error;
    const message = `The response of the provider ${error.message}: ask for less in one.`;
    return {
      outcome: "failed",
      wasSent: true,
      failure: { code: "provider_error", message, retryable: false, triedAgain: false },
    };
  }
}

export async function renderLarge(
  largeTexts: LargeTexts,
  user: LargeTextUser,
  {
    messages,
    row,
    mayFetch,
  }: { messages: LlmConfig["messages"]; row: string; mayFetch: (url: URL) => string | undefined },
  signal?: AbortSignal,
): Promise<readonly Message[] | RowFailure> {
  try {
    const rendered = await largeTexts.perform(user, { task: "renderPrompt", messages, row }, signal);
    return "failure" in rendered ? rendered.failure : checkImages(rendered.messages, mayFetch);
  } catch (error) {
    if (!(error instanceof LargeTextError)) throw error;
    return { code: "template_error", message: `The row ${error.message}: make it smaller.` };
  }
}

function checkImages(
  messages: readonly PlainMessage[],
  mayFetch: (url: URL) => string | undefined,
): readonly Message[] | RowFailure {
  const checked: Message[] = [];
  for (const [at, { role, parts }] of messages.entries()) {
    const whole: Part[] = [];
    for (const [place, part] of parts.entries()) {
      const read =
        part.type === "image" && part.url !== undefined
          ? readImageUrl(part.url, `/messages/${at}/content/${place}/url`, mayFetch)
          : part;
      if ("code" in read) return read;
      whole.push(read);
    }
    checked.push({ role, parts: whole });
  }
  return checked;
}
