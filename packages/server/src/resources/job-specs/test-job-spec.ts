/** Tries a job spec on a few rows at once: the same processor, schemas and failures as in a run, and nothing is kept. */
import type { Operations } from "@rowmill/contract";
import { failureCodes } from "@rowmill/contract/failures";
import type { Answer, Input } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { newUuid, parseId } from "../../platform/ids.ts";
import { notFound } from "../../platform/http/errors.ts";
import { processorOf } from "../../processors/processors.ts";
import type { Processors } from "../../processors/processors.ts";
import type { RowInHand, RowOutcome } from "../../processors/processor.ts";
import { readChunksFrom } from "../datasets/chunk-store.ts";
import { findReadyDataset } from "../datasets/datasets.ts";
import { readDefinition } from "./definition.ts";
import { findUsableVersion } from "./job-specs.ts";
import { createRowChecks } from "./row-checks.ts";

const DEFAULT_COUNT = 5;
/** A test answers a person who waits; a job spec that takes longer is tried by a run. */
const TEST_TIMEOUT_MS = 20_000;

export async function testJobSpec(
  db: Queryable,
  processors: Processors,
  caller: OrganizationCaller,
  jobSpecId: string,
  body: Input<Operations["testJobSpec"]>["body"],
): Promise<Answer<Operations["testJobSpec"]>> {
  if ((body.rows === undefined) === (body.datasetId === undefined))
    throw new ApiError("invalid_request", "Send either `rows` or `datasetId`.", { param: "rows" });
  const definition = readDefinition(await findUsableVersion(db, caller.organizationId, jobSpecId, body.jobSpecVersion));
  const rows =
    body.rows === undefined
      ? await readFirstRows(db, caller.organizationId, body.datasetId ?? "", body.count ?? DEFAULT_COUNT)
      : body.rows.map((row, index) => ({ index, text: JSON.stringify(row) }));
  const checks = createRowChecks(definition);
  const context = { organizationId: caller.organizationId, runId: newUuid(), rootRunId: newUuid(), retryNumber: 0 };
  const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
  const step = await processorOf(processors, definition.processor).prepare(definition.processor, context);

  const answer: Answer<Operations["testJobSpec"]> = { outputs: [], failures: [] };
  for (const row of rows) {
    const startedAt = performance.now();
    const { outcome, logs } = await tryRow(row);
    const durationMs = Math.round(performance.now() - startedAt);
    if (outcome.ok) {
      answer.outputs.push({ index: row.index, data: JSON.parse(outcome.output), durationMs, logs });
      continue;
    }
    const { code, message, details, retryable } = outcome.failure;
    answer.failures.push({
      index: row.index,
      code,
      class: failureCodes[code].class,
      retryable: retryable ?? failureCodes[code].retryable,
      message,
      details: details ?? null,
      logs,
    });
  }
  return answer;

  async function tryRow(row: RowInHand): Promise<{ outcome: RowOutcome; logs: string }> {
    const refused = checks.checkInput(row);
    if (refused) return { outcome: refused, logs: "" };
    try {
      const [tried] =
        definition.processor.type === "transform"
          ? await processors.transform.testRows(
              { language: "javascript", ...definition.processor },
              [row],
              context,
              signal,
            )
          : await step.processRows([row], signal);
      if (tried === undefined) throw new Error("a processor gave no outcome for a row");
      return { outcome: checks.checkOutput(tried), logs: "logs" in tried ? String(tried.logs) : "" };
    } catch (error) {
      if (!signal.aborted) throw error;
      const message = `The test took longer than ${TEST_TIMEOUT_MS / 1000} seconds.`;
      return { outcome: { ok: false, failure: { code: "row_timeout", message } }, logs: "" };
    }
  }
}

async function readFirstRows(
  db: Queryable,
  organizationId: string,
  datasetId: string,
  count: number,
): Promise<RowInHand[]> {
  const uuid = parseId("dataset", datasetId);
  if (uuid === undefined) throw notFound("dataset", "datasetId");
  await findReadyDataset(db, organizationId, uuid, "datasetId");
  const rows: RowInHand[] = [];
  for await (const chunk of readChunksFrom(statementsOf(db), uuid, 0)) {
    for (const [i, text] of chunk.lines.entries()) {
      if (rows.length === count) return rows;
      rows.push({ index: chunk.firstRow + i, text });
    }
  }
  return rows;
}
