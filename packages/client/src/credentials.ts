/** The two things without which a client cannot send a request: said at once, and not by the first response. */
import { surroundingCredentials, whereToSet } from "#surroundings";
import type { RowmillOptions } from "./options.ts";

/** Throws a TypeError that names everything that is missing. */
export function completeOptions(
  options: RowmillOptions,
): RowmillOptions & { apiKey: string | undefined; baseUrl: string } {
  if (options.usesCookie === true) {
    if (options.apiKey !== undefined) throw new TypeError("give either `apiKey` or `usesCookie`");
    if (options.baseUrl === undefined) throw new TypeError("with `usesCookie` the client needs `baseUrl`, too");
    return { ...options, apiKey: undefined, baseUrl: options.baseUrl };
  }
  const given = { url: textOf(options.baseUrl), apiKey: textOf(options.apiKey) };
  const found = given.url !== undefined && given.apiKey !== undefined ? given : surroundings(given);
  const missing = [
    ...(found.apiKey === undefined ? ["`apiKey`"] : []),
    ...(found.url === undefined ? ["`baseUrl`"] : []),
  ];
  if (found.apiKey === undefined || found.url === undefined)
    throw new TypeError(
      `The Rowmill client needs ${missing.join(" and ")}: pass ${missing.length === 1 ? "it" : "them"} to the constructor; or ${whereToSet}.`,
    );
  return { ...options, apiKey: found.apiKey, baseUrl: found.url };
}

function surroundings(given: { url: string | undefined; apiKey: string | undefined }): typeof given {
  try {
    return surroundingCredentials(given);
  } catch (error) {
    throw new TypeError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** An unset variable that was put into a text reads "undefined". */
const textOf = (value: string | undefined): string | undefined =>
  value === undefined || value === "" || value === "undefined" ? undefined : value;
