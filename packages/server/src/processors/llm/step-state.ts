/** What a run prepares once to ask a model about its rows. */
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import type { Connection, ConnectionEgress, Connections } from "../connection-parts.ts";
import { withPriority } from "../limiter/permits.ts";
import type { Limiter } from "../limiter/permits.ts";
import type { RowFailure, InputRow, RunContext } from "../processor.ts";
import { chatRequestOf } from "./complete-row.ts";
import type { ChatPlan } from "./complete-row.ts";
import { hasManyValues } from "../large-texts.ts";
import type { LargeTexts } from "../large-texts.ts";
import { whyUnusable } from "./call.ts";
import type { Message } from "./conversation.ts";
import { createExpectation } from "./costs.ts";
import type { Dialects } from "./dialects.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig, Target } from "./llm-config.ts";
import type { ChatRequest } from "./models.ts";
import { findLargeJson, renderLarge } from "./read-large.ts";
import { compilePrompt } from "./prompt.ts";

export interface LlmParts {
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  schemas: Schemas;
  largeTexts: LargeTexts;
}

export const DEFAULT_REPAIR_ATTEMPTS = 1;

export interface StepState {
  parts: LlmParts;
  context: RunContext;
  plan: ChatPlan;
  /** The conversation of a row, or why it has none. Undefined for a row whose text takes long to read: it is rendered by `renderAny`. */
  render: (row: InputRow) => readonly Message[] | RowFailure | undefined;
  renderAny: (row: InputRow, signal?: AbortSignal) => Promise<readonly Message[] | RowFailure>;
}

export function prepareState(shared: LlmParts, dialects: Dialects, config: LlmConfig, context: RunContext): StepState {
  const parts = { ...shared, limiter: withPriority(shared.limiter, context.priority) };
  const mayFetch = (url: URL): string | undefined => {
    const found = parts.egress.dispatcherFor(url);
    return found.dispatcher === undefined ? found.message : undefined;
  };
  const prompt = compilePrompt(config.messages, mayFetch);
  /** Rows that were rendered for their cache keys, until they are called. */
  const rendered = new WeakMap<InputRow, readonly Message[] | RowFailure>();
  const renderNow = (row: InputRow): readonly Message[] | RowFailure | undefined =>
    rendered.get(row) ?? (hasManyValues(row.text) ? undefined : prompt.render(row.text));
  const render = (row: InputRow): readonly Message[] | RowFailure | undefined => {
    const messages = renderNow(row);
    if (messages !== undefined) rendered.set(row, messages);
    return messages;
  };
  const renderAny: StepState["renderAny"] = async (row, signal) => {
    const messages = renderNow(row);
    // The row lives as long as its chunk is worked on, and its messages need not.
    rendered.delete(row);
    return (
      messages ?? renderLarge(parts.largeTexts, context, { messages: config.messages, row: row.text, mayFetch }, signal)
    );
  };
  const plan: ChatPlan = {
    targets: targetsOf(config).map((target) => ({ ...target, expectation: createExpectation() })),
    parameters: config.parameters,
    schema: config.outputSchema,
    check: config.outputSchema === undefined ? undefined : createCheck(parts.schemas, context, config.outputSchema),
    findJson: (completion) => findLargeJson(parts.largeTexts, context, completion),
    repairAttempts: config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS,
    dialects,
  };
  return { parts, context, plan, render, renderAny };
}

export interface FirstRequest {
  target: ChatPlan["targets"][number];
  connection: Connection;
  chat: ChatRequest;
}

/** The job spec's own model, and the request to it. */
export async function firstRequest(
  { parts, context, plan, renderAny }: StepState,
  row: InputRow,
): Promise<FirstRequest | RowFailure> {
  const messages = await renderAny(row);
  if ("code" in messages) return messages;
  const target = firstOf(plan.targets);
  const connection = await parts.connections.find(context.organizationId, target.connectionId);
  const unusable = whyUnusable(connection, target);
  if (connection === undefined || unusable !== undefined)
    return unusable ?? { code: "secret_missing" as const, message: `There is no connection ${target.connectionId}.` };
  return { target, connection, chat: chatRequestOf(plan, plan.dialects.of(target), messages) };
}

const createCheck = (
  schemas: Schemas,
  { organizationId, runId, isInteractive }: RunContext,
  schema: NonNullable<LlmConfig["outputSchema"]>,
) =>
  schemas.createCheck(
    isInteractive === true ? { organizationId, place: "interactive" } : { organizationId, place: "run", runId },
    schema,
  );

function firstOf<T extends Target>(targets: readonly T[]): T {
  const [first] = targets;
  if (first === undefined) throw new Error("a job spec names no model");
  return first;
}
