/**
 * The worker process: compiles and evaluates. Where it is careful, it reports each result before the next evaluation, which may be its
 * last.
 */
import type { CelInput } from "@bufbuild/cel";
import { compileCondition } from "./condition.ts";
import type { Compiled, Evaluated } from "./condition.ts";
import { serveRequests } from "../worker-process-port.ts";
import { unpackSync } from "../zstd.ts";
import { resultCodes } from "./condition-protocol.ts";
import type { ConditionResponse, ConditionError, ConditionRequest } from "./condition-protocol.ts";

/** Rules alternate, and each comes again with the next events; compiling costs more than most evaluations. */
const COMPILED_KEPT = 100;

const compiled = new Map<string, Compiled>();

serveRequests((request: ConditionRequest, begin): ConditionResponse => {
  const condition = compile(request.source, request.variable);
  if (condition.outcome === "invalid") return { problem: condition.message, firstError: null, codes: new Uint8Array() };
  if (request.type === "check") return { problem: null, firstError: null, codes: new Uint8Array() };
  return evaluateAll(condition.evaluate, request, begin);
});

function compile(source: string, variable: string): Compiled {
  const key = `${variable} ${source}`;
  const known = compiled.get(key) ?? compileCondition(source, variable);
  compiled.delete(key);
  compiled.set(key, known);
  const [oldest] = compiled.keys();
  if (compiled.size > COMPILED_KEPT && oldest !== undefined) compiled.delete(oldest);
  return known;
}

function evaluateAll(
  evaluate: (value: CelInput) => Evaluated,
  { inputs, from, until }: Extract<ConditionRequest, { type: "evaluate" }>,
  begin: (at: number, resultBefore: number) => void,
): ConditionResponse {
  const codes = new Uint8Array(until - from);
  let firstError: ConditionError | null = null;
  const texts = Buffer.isBuffer(inputs) ? unpackSync(inputs).toString("utf8").split("\n") : inputs;
  for (let at = from; at < until; at++) {
    begin(at, codes[at - from - 1] ?? 0);
    const value = JSON.parse(texts[at] ?? "null") as CelInput; // JSON is what CEL takes
    const evaluated = evaluate(value);
    if (evaluated.result === "error") firstError ??= { at, message: evaluated.message };
    codes[at - from] = resultCodes.indexOf(evaluated.result) + 1;
  }
  return { problem: null, firstError, codes };
}
