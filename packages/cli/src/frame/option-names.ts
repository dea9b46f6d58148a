/**
 * The API names what it refuses by a member of a body or a parameter of a query, which a person has not typed. Where the value came
 * from an option, the message names that option, and the error is one of usage.
 */
import type { RowmillApiError } from "@rowmill/client";
import { nearestOf } from "./nearest.ts";

/** Options and arguments that were typed, by their names in the help: `--code`, `<url>`. */
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
  [/^name$/, "--name", "<name>"],
  [/^(source\.)?url$/, "<url>", "<file>"],
  [/^description$/, "--description"],
  [/^scopes$/, "--scopes"],
  [/^expiresAt$/, "--days"],
  [/^(eventTypes|events|types?)$/, "--events", "--type"],
  [/^columns$/, "--columns"],
  [/^delimiter$/, "--delimiter"],
  [/^byteOrderMark$/, "--bom"],
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

/** The message for the person who typed the options, or undefined where no option is at fault. */
export function inOptions(error: RowmillApiError, typed: TypedOptions): string | undefined {
  const details = error.details.map(({ path, message }) => ({ member: dotted(path), message }));
  const first = {
    member: error.param ?? "",
    message: error.message.replace(/ Further errors: \d+, see `details`\./, ""),
  };
  if (![first, ...details].some(({ member }) => optionFor(member, typed) !== undefined)) return undefined;
  const messages = [first, ...details].map(({ member, message }) => {
    const option = optionFor(member, typed);
    const text = message.replace(/`([\w.[\]]+)`/g, (whole, name: string) => optionFor(name, typed) ?? whole);
    return option === undefined ? text : shortened(text, typed.get(option), member);
  });
  // A detail is often the message itself.
  return [...new Set(messages)].slice(0, MAX_MESSAGES).join(" ");
}

/** More is not read before the first ones are corrected. */
const MAX_MESSAGES = 3;

const dotted = (pointer: string): string => pointer.replace(/^\//, "").replaceAll("/", ".");

function optionFor(member: string, typed: TypedOptions): string | undefined {
  const name = member.replace(/\.\d+(?=\.|$)|\[\d+\]/g, "");
  for (const [pattern, ...options] of optionsOf)
    if (pattern.test(name)) {
      const option = options.find((each) => typed.has(each));
      if (option !== undefined) return option;
    }
  return undefined;
}

/** As the service lists the values of a member, those of a parameter, and types of events. */
const LISTS = [
  /must be one of: ([^."]+)\.(?: Did you mean `[^`]+`\?)?/,
  /takes ([^."]+); not "[^"]*"\.(?: Did you mean `[^`]+`\?)?/,
  /(?:Did you mean `[^`]+`\? )?Types are (.+); patterns are .+\.$/,
];

/** Sixty names become those that are nearest to what was typed. */
function shortened(message: string, value: unknown, member: string): string {
  let text = message;
  for (const pattern of LISTS)
    text = text.replace(pattern, (whole, list: string) => {
      const values = list.split(", ");
      if (values.length <= MAX_LISTED_VALUES) return whole;
      const typed = Array.isArray(value) ? value.map(String) : String(value).split(",");
      const at = Number(/\d+$/.exec(member)?.[0]);
      const wrong = typed[at] ?? typed.find((each) => !values.includes(each)) ?? "";
      const nearest = nearestOf(wrong, values, NEAREST_VALUES).join(", ");
      if (whole.includes("Types are")) return `The nearest of ${values.length} types: ${nearest}.`;
      return `does not take "${wrong}". The nearest of its ${values.length} values: ${nearest}.`;
    });
  return text;
}
