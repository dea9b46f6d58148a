/** What went wrong with a row inside a sandbox, and how it is reported to the person who wrote the code. */
import type { RowFailure } from "../processor.ts";
import { MAX_MESSAGE_CHARACTERS, MAX_OUTPUT_BYTES, MAX_STACK_LINES } from "./transform-limits.ts";
import type { FailureKind } from "./prelude.ts";
import { cutText } from "../../platform/text.ts";

export interface Thrown {
  kind: FailureKind;
  name: string;
  message: string;
  /** Lines of the stack that lie in the user's code. */
  stack: string[];
  /** Line of the user's code, from 1. */
  line: number | null;
  /** Where it stands in the user's code: `transform.js:3:5`. */
  place: string | null;
}

/** Reads the array that `prelude.ts` writes: [kind, name, message, stack]. */
export function parseThrown(text: string): Thrown {
  // Four strings, whatever was thrown: the prelude makes the array from strings of its own.
  const [kind, name, message, stack] = (text === "" ? ["thrown", "", "", ""] : JSON.parse(text)) as [
    FailureKind,
    string,
    string,
    string,
  ];
  const own = stack.split("\n").flatMap((line) => (line.includes("transform.js:") ? [line.trim()] : []));
  const at = /transform\.js:(\d{1,9})(?::\d{1,9})?/.exec(own[0] ?? "");
  const [place = null, line] = at ?? [];
  return { kind, name, message, stack: own.slice(0, MAX_STACK_LINES), line: line ? Number(line) : null, place };
}

/** `TypeError: x is not a function (line 3)` */
export function describeThrown(thrown: Thrown): string {
  const text = [thrown.name, thrown.message].filter((part) => part !== "").join(": ");
  const shown = text === "" ? "Something without a message was thrown" : cutText(text, MAX_MESSAGE_CHARACTERS - 100);
  return thrown.line === null ? shown : `${shown} (line ${thrown.line})`;
}

export function failureOf(thrown: Thrown): RowFailure {
  const details = {
    ...(thrown.name === "" ? {} : { name: thrown.name }),
    // What was thrown at one place has one cause: the failures of a run are grouped by it.
    ...(thrown.place === null ? {} : { path: thrown.place }),
    ...(thrown.stack.length === 0 ? {} : { stack: thrown.stack.join("\n") }),
  };
  switch (thrown.kind) {
    case "thrown":
      return { code: "transform_error", message: describeThrown(thrown), details };
    case "not_json":
      return { code: "transform_error", message: `The returned value is not JSON: ${describeThrown(thrown)}`, details };
    case "unreadable":
      return {
        code: "transform_error",
        message: `The row cannot be read in the sandbox: ${describeThrown(thrown)}`,
        details,
      };
    case "nothing":
      return {
        code: "transform_error",
        message: "The function returned no value; return null to keep the row with nothing in it.",
        details: {},
      };
    case "promise":
      return {
        code: "transform_error",
        message: "The function returned a promise; it must not be async.",
        details: {},
      };
    case "too_large":
      return { code: "transform_error", message: `The output is larger than ${MAX_OUTPUT_BYTES} bytes.`, details: {} };
    case "memory":
      return memoryFailure();
  }
}

export function memoryFailure(): RowFailure {
  return { code: "transform_memory", message: "The code ran out of memory on this row." };
}

export function timeoutFailure(): RowFailure {
  return { code: "transform_timeout", message: "The code ran past its budget on this row." };
}
