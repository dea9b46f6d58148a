/**
 * The family of a run as a graph. Each run has a line of the page, below the run whose rows it took, and a lane: the newest retry of
 * a run goes on in its lane, the others begin one to the right of it.
 */
import type { Lineage } from "@rowmill/client";

export type Member = Lineage["runs"][number];

export interface Line {
  member: Member;
  parent: Member | undefined;
  lane: number;
  /** How the edge from the parent comes in: from above, out of the lane to the left, or not at all. */
  enters: "straight" | "branch" | "none";
  hasRetries: boolean;
  /** Lanes whose edge goes past, to a run below. */
  passing: readonly number[];
}

export function linesOf(members: readonly Member[]): Line[] {
  const retriesOf = Map.groupBy(members.toSorted(byAge), ({ parentRunId }) => parentRunId);
  const lines: Line[] = [];
  function add(member: Member, place: Pick<Line, "parent" | "lane" | "enters" | "passing">): void {
    const retries = retriesOf.get(member.id) ?? [];
    lines.push({ member, ...place, hasRetries: retries.length > 0 });
    for (const retry of retries)
      if (retry === retries.at(-1)) add(retry, { ...place, parent: member, enters: "straight" });
      else
        add(retry, {
          parent: member,
          lane: place.lane + 1,
          enters: "branch",
          passing: [...place.passing, place.lane],
        });
  }
  for (const first of retriesOf.get(null) ?? [])
    add(first, { parent: undefined, lane: 0, enters: "none", passing: [] });
  return lines;
}

export const laneCountOf = (lines: readonly Line[]): number => Math.max(0, ...lines.map(({ lane }) => lane)) + 1;

/** Ids are ordered by time. */
const byAge = (a: Member, b: Member): number => (a.id < b.id ? -1 : 1);
