/** The JSON that is in the completion of a model. */
import { parseExactJson } from "../../platform/exact-json.ts";
import { isDeeperThan } from "../../platform/json-text.ts";

/** Far more than an output may have; what reads JSON by recursion overflows its stack on much deeper text. */
const MAX_RESPONSE_DEPTH = 1_000;

/** As it stands in the completion, and on one line. */
export interface FoundJson {
  text: string;
  output: string;
}

/** Models that are asked for nothing but JSON still think aloud, fence it in, and introduce it. */
export function findJson(completion: string): FoundJson | undefined {
  const response = completion.replace(/^\s*<think>.*?<\/think>/s, "").trim();
  const whole = read(response);
  if (whole !== undefined) return whole;
  const fences = [...response.matchAll(/```[a-z]*[ \t]*\r?\n(.*?)```/gis)];
  const inside = fences.length === 1 ? fences[0]?.[1]?.trim() : undefined;
  return inside === undefined ? undefined : read(inside);
}

function read(text: string): FoundJson | undefined {
  // Deep text would overflow the stack of what prints it.
  if (/^[[{]/.test(text) && isDeeperThan(text, MAX_RESPONSE_DEPTH)) return undefined;
  try {
    return { text, output: JSON.stringify(parseExactJson(text)) };
  } catch {
    return undefined;
  }
}
