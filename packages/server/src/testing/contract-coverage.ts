/** Which operation has answered which of its declared statuses somewhere in the tests. */
import { appendFileSync } from "node:fs";
import { inject } from "vitest";
import { operations } from "@rowmill/contract";
import { statusOf } from "@rowmill/contract/errors";
import { errorsOf } from "@rowmill/contract/openapi";
import type { Operation } from "@rowmill/contract/operation";

/** Answered by one place for every operation alike: to see them of one operation is enough. */
const SEEN_ONCE_IS_ENOUGH: Readonly<Record<number, string>> = {
  429: "the rate limit is looked at before anything of the operation",
  500: "a fault of the service, of which no operation has one to show",
  503: "the database is away, or the service is stopping",
};

const noted = new Set<string>();

/** Short lines, each appended at once: files that run side by side share the place. */
export function noteAnswer(operationId: string, status: number): void {
  const line = `${operationId} ${status}\n`;
  if (noted.has(line)) return;
  noted.add(line);
  appendFileSync(inject("seenAnswersFile"), line);
}

export function declaredStatuses(o: Operation): number[] {
  return [...new Set([o.answer.status, ...errorsOf(o).map(statusOf)])].toSorted((a, b) => a - b);
}

/** A sentence, and below it what was not seen. */
export function describeCoverage(seenLines: string, isComplete: boolean): string {
  const seen = new Set(seenLines.split("\n"));
  const seenAnywhere = new Set(seenLines.split("\n").map((line) => Number(line.split(" ")[1])));
  const isSeen = (id: string, status: number): boolean =>
    seen.has(`${id} ${status}`) || (status in SEEN_ONCE_IS_ENOUGH && seenAnywhere.has(status));
  let declared = 0;
  let unseenCount = 0;
  const unseen: string[] = [];
  for (const [id, o] of Object.entries(operations) as [string, Operation][]) {
    const statuses = declaredStatuses(o);
    const missing = statuses.filter((status) => !isSeen(id, status));
    declared += statuses.length;
    unseenCount += missing.length;
    if (missing.length > 0) unseen.push(`  ${id}: ${missing.join(", ")}`);
  }
  const summary = `contract: ${declared - unseenCount} of ${declared} declared answers (operation × status) were seen`;
  // A run of some of the files says little about what is missing.
  return isComplete && unseen.length > 0 ? `${summary}; never seen:\n${unseen.join("\n")}` : summary;
}
