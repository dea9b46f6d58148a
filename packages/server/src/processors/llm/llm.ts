/**
 * The `llm` processor: one conversation with a model for every row. See `answer-row.ts` for the course of a row, `call.ts` for
 * that of a call, `models.ts` for how a provider is spoken to, and `docs/processors.md` for what a job spec can say.
 */
import { newUuid } from "../../platform/ids.ts";
import { formatUsd } from "../../platform/usd.ts";
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import type { Connection, ConnectionEgress, Connections } from "../connection-parts.ts";
import { withPriority } from "../limiter/permits.ts";
import type { Limiter } from "../limiter/permits.ts";
import { withMemory } from "../paid-call.ts";
import { redactAnswer } from "../redact.ts";
import type {
  Processor,
  ProcessorDefinition,
  RowFailure,
  RowInHand,
  RowOutcome,
  RunContext,
  Step,
  TokenRange,
} from "../processor.ts";
import { answerRow, questionOf } from "./answer-row.ts";
import type { AnswerPlan } from "./answer-row.ts";
import { classifyReply } from "./answers.ts";
import { classifyCall, sizesOf, whyUnusable, worstCost } from "./call.ts";
import type { CallContext } from "./call.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig, Target } from "./llm-config.ts";
import { costOf, createExpectation, priceOf } from "./costs.ts";
import { createDialects } from "./dialects.ts";
import type { Dialects } from "./dialects.ts";
import { prepareLlmEstimate } from "./estimate-llm.ts";
import { converse, withOutputLimit } from "./models.ts";
import { withBatchPrices } from "./batch-prices.ts";
import { findLlmProblems } from "./problems.ts";
import { refuseImagesInside } from "./images.ts";
import { compilePrompt } from "./prompt.ts";
import type { Turn } from "./conversation.ts";
import { createTally } from "./tally.ts";
import { maxAnswerBytes } from "./transport.ts";
import type { ProviderResponse, ProviderRequest } from "./transport.ts";

export interface LlmParts {
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  schemas: Schemas;
}

export interface LlmProcessor extends Processor<LlmConfig> {
  prepare(config: LlmConfig, context: RunContext): Promise<LlmStep>;
}

/** A step whose calls can also be made by others: in files of a provider's batch endpoint, or not at all. */
export interface LlmStep extends Step {
  /** The request for a row to the job spec's own model, without credentials; nothing is sent. `isLimited`: a budget holds. */
  captureRequest(row: RowInHand, options?: { isLimited: boolean }): Promise<Captured>;
  /** What a stored answer to that request means for the row, at the price of batches. Nothing is called. */
  interpretResponse(row: RowInHand, answer: ProviderResponse): Promise<Interpreted>;
  /** Of one call of the job spec's own model: repair turns and fallbacks come on top. */
  estimate(row: RowInHand): Promise<Estimated>;
}

export type Captured =
  | {
      ok: true;
      connection: Connection;
      model: string;
      request: ProviderRequest;
      /** US dollars, at the price of batches; undefined where none is known. */
      highestCostUsd: string | undefined;
    }
  | { ok: false; failure: RowFailure };

/** `goesOn`: a row that is asked in real time does not end so. It has a repair turn, a fallback or another dialect. */
export type Interpreted = RowOutcome & { goesOn: boolean };

export type Estimated =
  | {
      ok: true;
      inputTokens: TokenRange;
      outputTokens: TokenRange;
      /** US dollars, decimal; undefined where no price is known. */
      costUsd: { low: string; high: string } | undefined;
    }
  | { ok: false; failure: RowFailure };

/**
 * A row waits for a model nearly all of its time. So many keep a model with a latency of a second at 64 rows a second, are
 * within what providers give a new account, and cost little memory; a job spec or a run may ask for more.
 */
const ROWS_AT_ONCE = 64;

/** Its texts, the request that is made of them, and the bytes that are sent. */
const BYTES_PER_CHARACTER = 4;

const DEFAULT_REPAIR_ATTEMPTS = 1;

/** Counted up when the same configuration begins to give other outputs. */
const CACHE_KEY_VERSION = 1;

export const llmDefinition: ProcessorDefinition<LlmConfig, LlmParts> = {
  kind: "calling",
  connectionsOf: (config) => [...new Set(targetsOf(config).map(({ connectionId }) => connectionId))],
  modelOf: ({ model }) => model,
  schemasOf: ({ outputSchema }) => (outputSchema === undefined ? [] : [outputSchema]),
  batches: { modelOf: ({ connection, model }) => ({ connectionId: connection, model }) },
  create: createLlmProcessor,
};

export function createLlmProcessor(parts: LlmParts): LlmProcessor {
  const dialects = createDialects();
  return {
    findProblems: (config, organizationId) => findLlmProblems(parts, config, organizationId),
    prepare: (config, context) => Promise.resolve(createStep(parts, dialects, config, context)),
    prepareEstimate(config, organizationId) {
      const runId = newUuid();
      const step = createStep(parts, dialects, config, { organizationId, runId, rootRunId: runId, retryNumber: 0 });
      return prepareLlmEstimate(parts.connections, config, organizationId, {
        estimateRow: (row) => step.estimate(row),
        repairAttempts: config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS,
      });
    },
  };
}

function createStep(shared: LlmParts, dialects: Dialects, config: LlmConfig, context: RunContext): LlmStep {
  const parts = { ...shared, limiter: withPriority(shared.limiter, context.priority) };
  const { connections, egress } = parts;
  const { organizationId } = context;
  const prompt = compilePrompt(config.messages, (url) => {
    const found = egress.dispatcherFor(url);
    return found.dispatcher === undefined ? found.message : undefined;
  });
  const targets = targetsOf(config).map((target) => ({ ...target, expectation: createExpectation() }));
  const plan: AnswerPlan = {
    targets,
    parameters: config.parameters,
    schema: config.outputSchema,
    check:
      config.outputSchema === undefined
        ? undefined
        : parts.schemas.createCheck(
            context.isInteractive === true
              ? { organizationId, place: "interactive" }
              : { organizationId, place: "run", runId: context.runId },
            config.outputSchema,
          ),
    repairAttempts: config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS,
    dialects,
  };
  const fixedKey = fixedCacheKey(config);
  /** A row is rendered for its cache key, and again for its call. */
  const rendered = new WeakMap<RowInHand, readonly Turn[] | RowFailure>();
  const render = (row: RowInHand): readonly Turn[] | RowFailure => {
    const known = rendered.get(row) ?? prompt.render(row.text);
    rendered.set(row, known);
    return known;
  };

  async function answer(row: RowInHand, signal: AbortSignal, clock: CallContext["clock"]): Promise<RowOutcome> {
    signal.throwIfAborted();
    const turns = render(row);
    if ("code" in turns) return { ok: false, failure: turns };
    const { budget } = context;
    const bytes = bytesOf(turns) + maxAnswerBytes(config.parameters?.maxOutputTokens);
    return withMemory(organizationId, bytes, { signal, clock }, () => {
      const own = { organizationId, budget, signal, clock, tally: createTally() };
      const traced = context.noteCall === undefined ? {} : { noteCall: context.noteCall };
      return answerRow({ ...parts, ...own, ...traced }, plan, turns);
    });
  }

  /** The job spec's own model, and the question to it. */
  async function firstQuestion(row: RowInHand) {
    const turns = render(row);
    if ("code" in turns) return turns;
    const target = firstOf(targets);
    const connection = await connections.find(organizationId, target.connectionId);
    const unusable = whyUnusable(connection, target);
    if (connection === undefined || unusable !== undefined)
      return unusable ?? { code: "secret_missing" as const, message: `There is no connection ${target.connectionId}.` };
    return { target, connection, question: questionOf(plan, dialects.of(target), turns) };
  }

  return {
    maxBatchRows: 1,
    batchesAtOnce: ROWS_AT_ONCE,
    processRows: (rows, signal, clock) => Promise.all(rows.map((row) => answer(row, signal, clock))),
    cacheKeyOf(row) {
      const turns = render(row);
      return "code" in turns ? undefined : JSON.stringify([fixedKey, turns]);
    },
    async captureRequest(row, { isLimited } = { isLimited: false }) {
      const first = await firstQuestion(row);
      if ("code" in first) return { ok: false, failure: first };
      const { target, connection, question } = first;
      // Bounded by the time that a resolver has.
      const { signal } = new AbortController();
      const refused = await refuseImagesInside(egress, connection.baseUrl, question.turns, signal);
      if (refused !== undefined) return { ok: false, failure: refused };
      let request: ProviderRequest | undefined;
      const notSent = new Error("the request is not sent");
      try {
        await converse(connection, target.model, isLimited ? withOutputLimit(question) : question, (made) => {
          request = made;
          return Promise.reject(notSent);
        });
      } catch (error) {
        if (error !== notSent) throw error;
      }
      if (request === undefined) throw new Error("a model was asked without a request");
      const { "x-api-key": _placeholder, "user-agent": _sdk, ...headers } = request.headers;
      const sizes = sizesOf(question);
      const worst = worstCost(withBatchPrices(connection, target.model), target, sizes);
      const highestCostUsd = worst === undefined ? undefined : formatUsd(worst);
      return { ok: true, connection, model: target.model, request: { ...request, headers }, highestCostUsd };
    },
    async interpretResponse(row, stored) {
      const first = await firstQuestion(row);
      if ("code" in first) return { ok: false, failure: first, goesOn: false };
      const { target, connection, question } = first;
      const answer = redactAnswer(stored, connection.secret);
      const conversed = await converse(connection, target.model, question, () => Promise.resolve(answer));
      const sent = { outcome: "answered", answer } as const;
      const priced = withBatchPrices(connection, target.model);
      const { record, outcome } = classifyCall({ sent, conversed }, priced, target, sizesOf(question));
      const tally = createTally();
      tally.add(record);
      const usage = tally.usage();
      const withUsage = usage === undefined ? {} : { usage };
      if (outcome.outcome === "failed") {
        const { failure, refusal, isFaultOfProvider } = outcome;
        const isLearned = refusal !== undefined && dialects.learn(target, question.dialect, refusal);
        return { ok: false, failure, ...withUsage, goesOn: isLearned || (isFaultOfProvider && targets.length > 1) };
      }
      const classified = await classifyReply(outcome.reply, plan.check);
      if (classified.ok) return { ok: true, output: classified.output, ...withUsage, goesOn: false };
      const goesOn = classified.isRepairable && plan.repairAttempts > 0;
      return { ok: false, failure: classified.failure, ...withUsage, goesOn };
    },
    async estimate(row) {
      const first = await firstQuestion(row);
      if ("code" in first) return { ok: false, failure: first };
      const { target, connection, question } = first;
      const { input, output } = sizesOf(question);
      const price = priceOf(connection, target.model);
      const costUsd =
        price === undefined
          ? undefined
          : {
              low: formatUsd(costOf(price, input.low, output.low)),
              high: formatUsd(costOf(price, input.high, output.high)),
            };
      return { ok: true, inputTokens: input, outputTokens: output, costUsd };
    },
  };
}

/** What a conversation takes while its answer is waited for. */
function bytesOf(turns: readonly Turn[]): number {
  let characters = 0;
  for (const { parts } of turns)
    for (const part of parts) characters += part.type === "text" ? part.text.length : (part.base64?.length ?? 0);
  return characters * BYTES_PER_CHARACTER;
}

function firstOf<T extends Target>(targets: readonly T[]): T {
  const [first] = targets;
  if (first === undefined) throw new Error("a job spec names no model");
  return first;
}

/** What the output of every row depends on; the rest is its conversation. */
function fixedCacheKey(config: LlmConfig): string {
  const parameters = Object.entries(config.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const repairs = config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS;
  // The order of a schema's members is part of what the model reads.
  return JSON.stringify([
    "llm",
    CACHE_KEY_VERSION,
    targetsOf(config),
    parameters,
    config.outputSchema ?? null,
    repairs,
  ]);
}
