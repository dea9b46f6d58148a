/**
 * From a row to its outcome: the models of the job spec are asked one after the other until one answers, and a model whose
 * output does not validate gets the errors in a follow-up message.
 *
 *     target ──► call ──► reply ──► fits ──────────────► output
 *       │         │         └─────► does not ──► repair turn ──► call …   (repairAttempts; then the row fails)
 *       │         └─ refused for how it was asked ──► the same question in another dialect
 *       └─ the provider failed ──► next target; none: the row fails
 */
import { failureCodes } from "@rowmill/contract/failures";
import type { SchemaCheck } from "../../platform/json-schema/schemas.ts";
import type { RowFailure, RowOutcome } from "../processor.ts";
import { instructionsFor, classifyReply, withInstructions, withRepair } from "./answers.ts";
import { callModel } from "./call.ts";
import type { CallContext } from "./call.ts";
import type { LlmConfig, Target } from "./llm-config.ts";
import type { Expectation } from "./costs.ts";
import type { Dialect, Dialects } from "./dialects.ts";
import type { Question } from "./models.ts";
import type { Turn } from "./conversation.ts";

export interface AnswerPlan {
  /** With what was learned of each. */
  targets: readonly (Target & { expectation: Expectation })[];
  parameters: LlmConfig["parameters"];
  schema: Record<string, unknown> | boolean | undefined;
  check: SchemaCheck | undefined;
  repairAttempts: number;
  dialects: Dialects;
}

type Answer = { ok: true; output: string } | { ok: false; failure: RowFailure; isFaultOfProvider: boolean };

export async function answerRow(context: CallContext, plan: AnswerPlan, turns: readonly Turn[]): Promise<RowOutcome> {
  const failures: RowFailure[] = [];
  for (const target of plan.targets) {
    const answer = await askTarget(context, plan, target, turns);
    if (answer.ok) return { ...answer, ...usageOf(context) };
    failures.push(answer.failure);
    if (!answer.isFaultOfProvider) break;
  }
  return { ok: false, failure: summarize(failures), ...usageOf(context) };
}

function usageOf({ tally }: CallContext) {
  const usage = tally.usage();
  return usage === undefined ? {} : { usage };
}

async function askTarget(
  context: CallContext,
  plan: AnswerPlan,
  target: AnswerPlan["targets"][number],
  turns: readonly Turn[],
): Promise<Answer> {
  let conversation = turns;
  let repairsLeft = plan.check === undefined ? 0 : plan.repairAttempts;
  for (;;) {
    const question = questionOf(plan, plan.dialects.of(target), conversation);
    const called = await callModel(context, target, question, target.expectation);
    if (called.outcome === "failed") {
      const { failure, isFaultOfProvider, refusal } = called;
      // Ends, since every dialect has fewer things left to refuse.
      if (refusal !== undefined && plan.dialects.learn(target, question.dialect, refusal)) continue;
      return { ok: false, failure, isFaultOfProvider };
    }
    // Its wait for a thread says nothing about the row.
    const classify = () => classifyReply(called.reply, plan.check);
    const classified = await (context.clock === undefined ? classify() : context.clock.offTheClock(classify));
    if (classified.ok) return classified;
    if (!classified.isRepairable || repairsLeft === 0)
      return { ok: false, failure: classified.failure, isFaultOfProvider: false };
    repairsLeft--;
    conversation = withRepair(conversation, called.reply, classified.failure, plan.schema ?? true);
  }
}

export function questionOf(
  plan: Pick<AnswerPlan, "parameters" | "schema">,
  dialect: Dialect,
  turns: readonly Turn[],
): Question {
  const { parameters, schema } = plan;
  if (schema === undefined) return { turns, parameters, schema, dialect };
  if (dialect.schema === "by_provider" && isObjectSchema(schema)) return { turns, parameters, schema, dialect };
  return { turns: withInstructions(turns, instructionsFor(schema)), parameters, schema: undefined, dialect };
}

/** Providers only enforce schemas whose root is an object. */
function isObjectSchema(schema: Record<string, unknown> | boolean): schema is Record<string, unknown> {
  return typeof schema === "object" && schema["type"] === "object" && !("anyOf" in schema) && !("oneOf" in schema);
}

/** The failure that the run can act on: one that may pass if there is one, else that of the job spec's own model. */
function summarize(failures: readonly RowFailure[]): RowFailure {
  const mayPass = ({ code, retryable, triedAgain }: RowFailure) =>
    failureCodes[code].class === "transient" && retryable !== false && triedAgain !== false;
  const failure = failures.find(mayPass) ?? failures[0];
  if (failure === undefined) throw new Error("a row was answered by none of no targets");
  if (failures.length === 1) return failure;
  const others = failures.filter((other) => other !== failure);
  return {
    ...failure,
    message: `${failure.message} (Others asked: ${others.map(({ code }) => code).join(", ")}.)`,
    details: { ...failure.details, others: others.map(({ code, message }) => ({ code, message })) },
  };
}
