/** The worker thread: compiles and evaluates, and writes each result down at once, since the next evaluation may be its last. */
import type { CelInput } from "@bufbuild/cel";
import { compileCondition } from "./condition.ts";
import type { Compiled, Evaluated } from "./condition.ts";
import { answerRequests } from "../watched-thread-port.ts";
import { resultCodes } from "./condition-protocol.ts";
import type { ConditionAnswer, ConditionError, ConditionRequest } from "./condition-protocol.ts";

/** Rules take turns, and each comes again with the next events; compiling costs more than most evaluations. */
const COMPILED_KEPT = 100;

const compiled = new Map<string, Compiled>();

answerRequests((request: ConditionRequest, begin): ConditionAnswer => {
  const condition = compile(request.source, request.variable);
  if (condition.outcome === "invalid") return { problem: condition.message, firstError: null };
  const firstError = request.type === "check" ? null : evaluateAll(condition.evaluate, request, begin);
  return { problem: null, firstError };
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
  { inputs, from, results }: Extract<ConditionRequest, { type: "evaluate" }>,
  begin: (at: number) => void,
): ConditionError | null {
  const codes = new Uint8Array(results);
  let firstError: ConditionError | null = null;
  for (let at = from; at < inputs.length; at++) {
    begin(at);
    const value = JSON.parse(inputs[at] ?? "null") as CelInput; // JSON is what CEL takes
    const evaluated = evaluate(value);
    if (evaluated.result === "error") firstError ??= { at, message: evaluated.message };
    Atomics.store(codes, at, resultCodes.indexOf(evaluated.result) + 1);
  }
  return firstError;
}
