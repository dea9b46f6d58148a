/**
 * The API names what it refuses by a member of a body or a parameter of a query, which a person has not typed. Where the value came
 * from an option, the message names that option, and the error is one of usage.
 */
import type { RowmillApiError } from "@rowmill/client";
import { nearestOf } from "./nearest.ts";

/** Options that were typed, by their long names: `--code`. */
export type TypedOptions = ReadonlyMap<string, unknown>;

/** Members of the API, without the positions of lists, and the options that set them: the first one that was typed is meant. */
const optionsOf: readonly (readonly [member: RegExp, ...options: string[]])[] = [
  [/^(selection\.codes|codes?)$/, "--code"],
  [/^budget(\.maxCostUsd)?$/, "--max-cost"],
  [/^scope\.count$/, "--limit", "--sample"],
  [/^scope\.seed$/, "--seed"],
  [/^scope(\.|$)/, "--sample", "--limit"],
  [/^limit$/, "--limit"],
  [/^count$/, "--count"],
  [/^version$|^jobSpecVersion$/, "--version"],
  [/^(state|resultState)$/, "--state"],
  [/^status$/, "--status"],
  [/^(settings\.)?(concurrency|maxConcurrency)$/, "--concurrency"],
  [/^name$/, "--name"],
  [/^description$/, "--description"],
  [/^scopes$/, "--scopes"],
  [/^expiresAt$/, "--days"],
  [/^(eventTypes|events|types?)$/, "--events", "--type"],
  [/^columns$/, "--columns"],
  [/^baseUrl$/, "--base-url"],
  [/^prices(\.|$)/, "--price"],
  [/^(from|start)$/, "--from"],
  [/^(to|end)$/, "--to"],
  [/^processor\.model$/, "--model"],
  [/^processor\.parameters\.temperature$/, "--temperature"],
  [/^processor\.parameters\.maxOutputTokens$/, "--max-output-tokens"],
  [/^processor\.output(\.|$)|^outputSchema(\.|$)/, "--out"],
  [/^processor\.code$/, "--transform"],
  [/^processor\.headers(\.|$)/, "--header"],
  [/^processor\.body(\.|$)/, "--body"],
  [/^processor\.(url|method)$/, "--http"],
];

/** More values than that are a page of text; the nearest ones are more useful. */
const MAX_LISTED_VALUES = 12;
const NEAREST_VALUES = 3;

/** The message for whoever typed the options, or undefined where no option is at fault. */
export function inOptions(error: RowmillApiError, typed: TypedOptions): string | undefined {
  const members = [error.param, ...error.details.map(({ path }) => path.replace(/^\//, "").replaceAll("/", "."))];
  let message = error.message;
  let isOption = false;
  for (const member of new Set(members)) {
    const option = member === null ? undefined : optionFor(member, typed);
    if (option === undefined) continue;
    isOption = true;
    message = message.replaceAll(`\`${member}\``, option);
    message = shortened(message, typed.get(option));
  }
  return isOption ? message : undefined;
}

function optionFor(member: string, typed: TypedOptions): string | undefined {
  const name = member.replace(/\.\d+(?=\.|$)|\[\d+\]/g, "");
  for (const [pattern, ...options] of optionsOf)
    if (pattern.test(name)) {
      const option = options.find((each) => typed.has(each));
      if (option !== undefined) return option;
    }
  return undefined;
}

/** As the service lists the values of a member, and those of a parameter. */
const LISTS = [
  /must be one of: ([^."]+)\.(?: Did you mean `[^`]+`\?)?/,
  /takes ([^."]+); not "[^"]*"\.(?: Did you mean `[^`]+`\?)?/,
];

/** Sixty names become those that are nearest to what was typed. */
function shortened(message: string, value: unknown): string {
  let text = message;
  for (const pattern of LISTS)
    text = text.replace(pattern, (whole, list: string) => {
      const values = list.split(", ");
      if (values.length <= MAX_LISTED_VALUES) return whole;
      const typed = Array.isArray(value) ? value.map(String) : [String(value)];
      const wrong = typed.find((each) => !values.includes(each)) ?? "";
      const nearest = nearestOf(wrong, values, NEAREST_VALUES);
      return `does not take "${wrong}". The nearest of its ${values.length} values: ${nearest.join(", ")}.`;
    });
  return text;
}
