/** Which operation has responded with which of its declared statuses somewhere in the tests. */
import { appendFileSync } from "node:fs";
import { inject } from "vitest";
import { operationIds, operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import { statusOf } from "@rowmill/contract/errors";
import { errorsOf } from "@rowmill/contract/operation-errors";
import { responsesOf } from "@rowmill/contract/operation";
import type { Operation } from "@rowmill/contract/operation";
import { seenOnceIsEnough, unseenResponses } from "./unseen-responses.ts";

export interface ContractCoverage {
  /** Of so many declared responses (operation × status) … */
  declared: number;
  /** … so many were seen. */
  seen: number;
  /** Unseen ones without a reason, and reasons without need. */
  problems: string[];
}

const noted = new Set<string>();

/** Short lines, each appended at once: files that run side by side share the place. */
export function noteResponse(operationId: string, status: number): void {
  const line = `${operationId} ${status}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(inject("seenResponsesFile"), line);
}

/** Of the lines that `noteAnswer` has written. */
export function checkCoverage(seenLines: string): ContractCoverage {
  const seen = new Set(seenLines.split("\n"));
  const seenAnywhere = new Set(seenLines.split("\n").map((line) => Number(line.split(" ")[1])));
  const coverage: ContractCoverage = { declared: 0, seen: 0, problems: [] };
  for (const id of operationIds) {
    const reasons = unseenResponses[id] ?? {};
    const statuses = declaredStatuses(operations[id]);
    coverage.declared += statuses.length;
    for (const status of statuses) {
      const isSeen = seen.has(`${id} ${status}`) || (status in seenOnceIsEnough && seenAnywhere.has(status));
      if (isSeen) coverage.seen++;
      if (isSeen && status in reasons) coverage.problems.push(`${id} ${status} was seen: it needs no reason not to be`);
      if (!isSeen && !(status in reasons)) coverage.problems.push(`${id} ${status} was never seen`);
    }
    coverage.problems.push(...undeclared(id, statuses));
  }
  return coverage;
}

const declaredStatuses = (o: Operation): number[] =>
  [...new Set([...responsesOf(o).map(({ status }) => status), ...errorsOf(o).map(statusOf)])].toSorted((a, b) => a - b);

const undeclared = (id: OperationId, statuses: readonly number[]): string[] =>
  Object.keys(unseenResponses[id] ?? {})
    .filter((status) => !statuses.includes(Number(status)))
    .map((status) => `${id} ${status} is not declared: it needs no reason not to be seen`);
