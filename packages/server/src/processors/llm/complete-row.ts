/**
 * From a row to its outcome: the models of the job spec are called one after the other until one responds, and a model whose
 * output does not validate gets the errors in a follow-up message.
 *
 *     target ──► call ──► reply ──► fits ──────────────► output
 *       │         │         └─────► does not ──► repair message ► call …   (repairAttempts; then the row fails)
 *       │         └─ refused for how it was asked ──► the same request in another dialect
 *       └─ the provider failed ──► next target; none: the row fails
 */
import { failureCodes } from "@rowmill/contract/failures";
import type { SchemaCheck } from "../../platform/json-schema/gather-checks.ts";
import { failureOfReader } from "../large-texts.ts";
import type { RowFailure, RowOutcome } from "../processor.ts";
import { instructionsFor, classifyReply, withInstructions, withRepair } from "./completions.ts";
import type { ClassifiedReply, FindJson } from "./completions.ts";
import { callModel } from "./call.ts";
import type { CallContext } from "./call.ts";
import type { LlmConfig, Target } from "./llm-config.ts";
import type { Expectation } from "./costs.ts";
import type { Dialect, Dialects } from "./dialects.ts";
import type { ChatRequest } from "./models.ts";
import type { Message } from "./conversation.ts";

export interface ChatPlan {
  /** With what was learned of each. */
  targets: readonly (Target & { expectation: Expectation })[];
  parameters: LlmConfig["parameters"];
  schema: Record<string, unknown> | boolean | undefined;
  check: SchemaCheck | undefined;
  findJson: FindJson;
  repairAttempts: number;
  dialects: Dialects;
}

type Completion = { ok: true; output: string } | { ok: false; failure: RowFailure; isFaultOfProvider: boolean };

export async function completeRow(
  context: CallContext,
  plan: ChatPlan,
  messages: readonly Message[],
): Promise<RowOutcome> {
  const failures: RowFailure[] = [];
  for (const target of plan.targets) {
    const response = await completeWith(context, plan, target, messages);
    if (response.ok) return { ...response, ...usageOf(context) };
    failures.push(response.failure);
    if (!response.isFaultOfProvider) break;
  }
  return { ok: false, failure: summarize(failures), ...usageOf(context) };
}

function usageOf({ tally }: CallContext) {
  const usage = tally.usage();
  return usage === undefined ? {} : { usage };
}

async function completeWith(
  context: CallContext,
  plan: ChatPlan,
  target: ChatPlan["targets"][number],
  messages: readonly Message[],
): Promise<Completion> {
  let conversation = messages;
  let repairsLeft = plan.check === undefined ? 0 : plan.repairAttempts;
  for (;;) {
    const chat = chatRequestOf(plan, plan.dialects.of(target), conversation);
    const called = await callModel(context, target, chat, target.expectation);
    if (called.outcome === "failed") {
      const { failure, isFaultOfProvider, refusal } = called;
      // Ends, since every dialect has fewer things left to refuse.
      if (refusal !== undefined && plan.dialects.learn(target, chat.dialect, refusal)) continue;
      return { ok: false, failure, isFaultOfProvider };
    }
    // Its wait for a thread says nothing about the row.
    const classify = () => classifyReply(called.reply, plan.check, plan.findJson).catch(notRead);
    const classified = await (context.clock === undefined ? classify() : context.clock.offTheClock(classify));
    if (classified.ok) return classified;
    if (!classified.isRepairable || repairsLeft === 0)
      return { ok: false, failure: classified.failure, isFaultOfProvider: false };
    repairsLeft--;
    conversation = withRepair(conversation, called.reply, classified.failure, plan.schema ?? true);
  }
}

export function chatRequestOf(
  plan: Pick<ChatPlan, "parameters" | "schema">,
  dialect: Dialect,
  messages: readonly Message[],
): ChatRequest {
  const { parameters, schema } = plan;
  if (schema === undefined) return { messages, parameters, schema, dialect };
  if (dialect.schema === "by_provider" && isObjectSchema(schema)) return { messages, parameters, schema, dialect };
  return { messages: withInstructions(messages, instructionsFor(schema)), parameters, schema: undefined, dialect };
}

/** What was paid for is the row's usage all the same. */
const notRead = (error: unknown): ClassifiedReply => ({
  ok: false,
  failure: failureOfReader(error),
  isRepairable: false,
});

/** Providers only enforce schemas whose root is an object. */
function isObjectSchema(schema: Record<string, unknown> | boolean): schema is Record<string, unknown> {
  return typeof schema === "object" && schema["type"] === "object" && !("anyOf" in schema) && !("oneOf" in schema);
}

/** The failure that the run can act on: one that may pass if there is one, else that of the job spec's own model. */
function summarize(failures: readonly RowFailure[]): RowFailure {
  const mayPass = ({ code, retryable, triedAgain }: RowFailure) =>
    failureCodes[code].class === "transient" && retryable !== false && triedAgain !== false;
  const failure = failures.find(mayPass) ?? failures[0];
  if (failure === undefined) throw new Error("no target is configured");
  if (failures.length === 1) return failure;
  const others = failures.filter((other) => other !== failure);
  return {
    ...failure,
    message: `${failure.message} (Others asked: ${others.map(({ code }) => code).join(", ")}.)`,
    details: { ...failure.details, others: others.map(({ code, message }) => ({ code, message })) },
  };
}
