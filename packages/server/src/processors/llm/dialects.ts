/**
 * What servers that speak OpenAI's protocol do differently, learned from what they refuse: the first row gets its response with
 * 400, the same request is made again without what was refused, and the rows after it begin there.
 *
 *     schema in response_format ── refused ──► schema in the prompt
 *     max_tokens                ── refused ──► max_completion_tokens
 */
import type { Target } from "./llm-config.ts";
import type { Refusal } from "./refusals.ts";

export interface Dialect {
  /** How the model receives the schema of its output. */
  schema: "by_provider" | "in_prompt";
  /** The name of the parameter that limits the length of a completion. */
  tokenLimit: "max_tokens" | "max_completion_tokens";
}

export interface Dialects {
  of(target: Target): Dialect;
  /** Whether the same request may be sent again, in the dialect that is now known; `spoken` is the one that was refused. */
  learn(target: Target, spoken: Dialect, refusal: Refusal): boolean;
}

/** A server that was updated is believed to have learned in the meantime. */
const REMEMBERED_MS = 3_600_000;

/** More models than this are not in use at a time; what is forgotten costs one refused request. */
const MAX_REMEMBERED = 1_000;

const FIRST: Dialect = { schema: "by_provider", tokenLimit: "max_tokens" };

/** Words with which servers name the part of a request that carries a schema. */
const NAMES_SCHEMA =
  /response_?format|json_?schema|structured[ _]outputs?|output_(?:config|format)|guided|grammar|tool_choice/i;

export function createDialects(now: () => number = () => performance.now()): Dialects {
  const learned = new Map<string, { dialect: Dialect; until: number }>();
  const keyOf = ({ connectionId, model }: Target) => `${connectionId} ${model}`;
  const of = (target: Target): Dialect => {
    const known = learned.get(keyOf(target));
    return known !== undefined && known.until > now() ? known.dialect : FIRST;
  };
  return {
    of,
    learn(target, spoken, refusal) {
      const change = changeAfter(spoken, refusal);
      if (change === undefined) return false;
      // Rows in flight learn beside each other: what another has learned stays.
      const dialect = { ...of(target), ...change };
      if (learned.size >= MAX_REMEMBERED) learned.clear();
      learned.set(keyOf(target), { dialect, until: now() + REMEMBERED_MS });
      return true;
    },
  };
}

function changeAfter(spoken: Dialect, { status, param, text }: Refusal): Partial<Dialect> | undefined {
  if (status !== 400 && status !== 422 && status !== 501) return undefined;
  const isAbout = (pattern: RegExp) => pattern.test(param ?? "") || pattern.test(text);
  if (spoken.tokenLimit === "max_tokens" && isAbout(/max_completion_tokens/))
    return { tokenLimit: "max_completion_tokens" };
  return spoken.schema === "by_provider" && isAbout(NAMES_SCHEMA) ? { schema: "in_prompt" } : undefined;
}
