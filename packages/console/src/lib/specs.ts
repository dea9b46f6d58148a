/** Job specs as the console edits and shows them. */
import type { Body, JobSpecVersion } from "@rowmill/client";

export type Processor = Body<"createJobSpec">["processor"];
export type ProcessorType = Processor["type"];

type Definition = Pick<
  JobSpecVersion,
  | "processor"
  | "inputSchema"
  | "outputSchema"
  | "retry"
  | "timeoutSeconds"
  | "concurrency"
  | "failurePolicy"
  | "cache"
  | "dedupe"
  | "execution"
>;

/** What a version fixes, without what it leaves to the defaults. */
export function definitionOf(version: Definition): Record<string, unknown> {
  const {
    processor,
    inputSchema,
    outputSchema,
    retry,
    timeoutSeconds,
    concurrency,
    failurePolicy,
    cache,
    dedupe,
    execution,
  } = version;
  const whole = {
    processor,
    inputSchema,
    outputSchema,
    retry,
    timeoutSeconds,
    concurrency,
    failurePolicy,
    cache,
    dedupe: dedupe === "none" ? null : dedupe,
    execution,
  };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
}

/** The processor comes as an open object; its members are those of the request. */
export const processorOf = (shown: Record<string, unknown>): Processor => shown as Processor;

/** What somebody has not filled in yet, in the order of the form. The service says the rest. */
export function missingIn(processor: Processor): string[] {
  switch (processor.type) {
    case "llm":
      return [
        ...(processor.connection === "" ? ["choose a connection"] : []),
        ...(processor.model.trim() === "" ? ["name a model"] : []),
        ...(processor.messages.every(({ content }) => content === "") ? ["write a prompt"] : []),
      ];
    case "http":
      return processor.url.trim() === "" ? ["write a URL"] : [];
    case "transform":
      return processor.code.trim() === "" ? ["write a function"] : [];
    case "mock":
      return [];
  }
}

export function describeProcessor(shown: Record<string, unknown>): string {
  const processor = processorOf(shown);
  switch (processor.type) {
    case "llm":
      return `Asks ${processor.model}`;
    case "http":
      return `${processor.method} ${processor.url.slice(0, 60)}`;
    case "transform":
      return "Runs JavaScript";
    case "mock":
      return "Rehearses: echoes each row";
  }
}

/** How a template names a column; names with other characters stand in quotes. */
export const referenceTo = (column: string): string =>
  /^[\p{L}\p{M}\p{N}_$-]+$/u.test(column) ? `{{row.${column}}}` : `{{row[${JSON.stringify(column)}]}}`;

/** The same as part of a text; within JSON, quotes stand behind a backslash. */
export const referenceIn = (language: string, column: string): string =>
  language === "json" ? JSON.stringify(referenceTo(column)).slice(1, -1) : referenceTo(column);

/** How a function names a column, after `row.`, or instead of the dot. */
export const memberOf = (column: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(column) ? column : `[${JSON.stringify(column)}]`;

const REFERENCE = /\{\{\s*row(?:\.([\p{L}\p{M}\p{N}_$-]+)|\[\s*"((?:[^"\\]|\\.)*)"\s*\])/gu;
/** Columns that a text names. */
export const referencesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, plain, quoted]) => plain ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? "");
