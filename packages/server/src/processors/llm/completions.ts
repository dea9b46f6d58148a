/** From the text of a model's response to the output of a row. */
import type { SchemaCheck } from "../../platform/json-schema/gather-checks.ts";
import { LargeTextError } from "../large-texts.ts";
import type { RowFailure } from "../processor.ts";
import { findJson } from "./find-json.ts";
import type { FoundJson } from "./find-json.ts";
import type { Reply } from "./models.ts";
import type { Message } from "./conversation.ts";
import { clean } from "./refusals.ts";

export type ClassifiedReply =
  | { ok: true; /** JSON text. */ output: string }
  | { ok: false; failure: RowFailure; /** The model may repair it after a message. */ isRepairable: boolean };

export type FindJson = (completion: string) => FoundJson | undefined | Promise<FoundJson | undefined>;

/** `check` undefined: any text will do. `find` may reject with a `LargeTextError`. */
export async function classifyReply(
  reply: Reply,
  check: SchemaCheck | undefined,
  find: FindJson = findJson,
): Promise<ClassifiedReply> {
  if (reply.finish === "refused") {
    const said = clean(reply.text, null);
    const message = said === "" ? "The model refused to answer." : `The model refused to answer: ${said}`;
    return { ok: false, failure: { code: "refused", message }, isRepairable: false };
  }
  if (reply.finish === "length")
    return {
      ok: false,
      failure: {
        code: "output_truncated",
        message: "The completion ended at the limit of its length; raise parameters.maxOutputTokens, or ask for less.",
        details: { outputTokens: reply.outputTokens ?? null, answer: clean(reply.text, null) },
      },
      isRepairable: false,
    };
  // What no JSON reader has to accept is replaced: the completion was paid for.
  if (check === undefined)
    return { ok: true, output: JSON.stringify({ text: reply.text.replaceAll("\0", "\uFFFD").toWellFormed() }) };
  const found = await findIn(find, reply.text);
  if (found !== undefined && "code" in found) return { ok: false, failure: found, isRepairable: false };
  if (found === undefined)
    return {
      ok: false,
      failure: {
        code: "output_not_json",
        message: "The completion of the model is not JSON.",
        details: { answer: clean(reply.text, null) },
      },
      isRepairable: true,
    };
  const { text, output } = found;
  const [verdict] = await check([text]);
  if (verdict?.kind === "mismatch")
    return {
      ok: false,
      failure: {
        code: "output_schema_invalid",
        message: verdict.message,
        details: { path: verdict.path, answer: clean(text, null) },
      },
      isRepairable: true,
    };
  if (verdict !== undefined)
    return {
      ok: false,
      failure: { code: "schema_check_limit", message: verdict.message, details: { answer: clean(text, null) } },
      isRepairable: false,
    };
  return { ok: true, output };
}

async function findIn(find: FindJson, completion: string): Promise<FoundJson | RowFailure | undefined> {
  try {
    return await find(completion);
  } catch (error) {
    if (!(error instanceof LargeTextError)) throw error;
    return { code: "output_not_json", message: `The completion of the model ${error.message}: ask for less in one.` };
  }
}

/** The prompt's description of the schema, for providers that do not support schemas. */
export function instructionsFor(schema: Record<string, unknown> | boolean): string {
  return `Answer with one JSON value and nothing else: no explanation, no code fence. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** The conversation with the instructions put behind the system's own. */
export function withInstructions(messages: readonly Message[], instructions: string): readonly Message[] {
  const part = { type: "text", text: instructions } as const;
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ role: "system", parts: [...first.parts, part] }, ...rest]
    : [{ role: "system", parts: [part] }, ...messages];
}

/** The conversation so far, the response, and what is wrong with it. */
export function withRepair(
  messages: readonly Message[],
  reply: Reply,
  failure: RowFailure,
  schema: Record<string, unknown> | boolean,
): readonly Message[] {
  const at = failure.details?.["path"];
  const where = typeof at === "string" && at !== "" ? ` (at ${at})` : "";
  const request = `This answer cannot be used: ${failure.message}${where}\n${instructionsFor(schema)}`;
  return [
    ...messages,
    // Providers refuse a message without text.
    { role: "assistant", parts: [{ type: "text", text: reply.text.trim() === "" ? "(no answer)" : reply.text }] },
    { role: "user", parts: [{ type: "text", text: request }] },
  ];
}
