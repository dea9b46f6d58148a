/**
 * What streams and waiting requests learn of their runs. All of an organization share one look at the database: one statement
 * for its runs, one for the counts of those that are streamed, and one for the new events of a run, however many follow it.
 * So each organization costs the same, whether it has one stream open or hundreds.
 */
import type { Selectable } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { EventsTable } from "../../platform/database/event-tables.ts";
import type { Run } from "@rowmill/contract/runs";
import { createFirstFollows } from "../../platform/first-follows.ts";
import type { FirstFollows } from "../../platform/first-follows.ts";
import { shareLooks } from "../../platform/shared-looks.ts";
import type { Follower, SharedLooks } from "../../platform/shared-looks.ts";
import { readRunEvents } from "./run-events.ts";
import { showRuns } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

const COUNT_EVERY_MS = 1_000;

export interface RunFollower extends Follower<RunRecord> {
  /** Of the log, after this sequence. */
  eventsAfter(sequence: number, limit: number): Promise<Selectable<EventsTable>[]>;
  /** As it was within the last second. */
  shown(run: RunRecord): Promise<Run>;
}

export interface RunFeeds {
  follow(db: Queryable, organizationId: string, runId: string): RunFollower;
}

export function createRunFeeds(): RunFeeds {
  const feeds = new Map<string, OrganizationFeed>();
  const firstFollows = createFirstFollows();
  return {
    follow(db, organizationId, runId) {
      let feed = feeds.get(organizationId);
      if (feed === undefined) {
        feed = new OrganizationFeed(db, organizationId, firstFollows, () => feeds.delete(organizationId));
        feeds.set(organizationId, feed);
      }
      return feed.follow(runId);
    },
  };
}

class OrganizationFeed {
  readonly #db: Queryable;
  readonly #organizationId: string;
  readonly #looks: SharedLooks<RunRecord>;
  /** Statements under way or done since the last look, shared by all who want the same. */
  #events = new Map<string, Promise<Selectable<EventsTable>[]>>();
  #counted: { at: number; runs: Map<string, Promise<Run>> } = {
    at: Number.NEGATIVE_INFINITY,
    runs: new Map(),
  };
  /** Of the runs that are followed, as the last look saw them. */
  readonly #records = new Map<string, RunRecord>();

  constructor(db: Queryable, organizationId: string, firstFollows: FirstFollows, forget: () => void) {
    this.#db = db;
    this.#organizationId = organizationId;
    this.#looks = shareLooks({
      firstFollows,
      read: (ids) => this.#read(ids),
      onLook: (runs) => {
        this.#events = new Map();
        for (const run of runs) this.#records.set(run.id, run);
      },
      onLeft: (runId) => this.#records.delete(runId),
      onEmpty: forget,
    });
  }

  follow(runId: string): RunFollower {
    return {
      ...this.#looks.follow(runId),
      eventsAfter: (sequence, limit) => this.#eventsAfter(runId, sequence, limit),
      shown: (run) => this.#shown(run),
    };
  }

  #read(ids: string[]): Promise<RunRecord[]> {
    return this.#db
      .selectFrom("runs")
      .selectAll()
      .where("organizationId", "=", this.#organizationId)
      .where("id", "in", ids)
      .where("deletedAt", "is", null)
      .execute();
  }

  #eventsAfter(runId: string, sequence: number, limit: number): Promise<Selectable<EventsTable>[]> {
    const name = `${runId} ${sequence} ${limit}`;
    const known = this.#events.get(name) ?? readRunEvents(this.#db, runId, { after: sequence, limit });
    this.#events.set(name, known);
    return known;
  }

  /** Counts all runs that are followed, once a second at most. */
  async #shown(run: RunRecord): Promise<Run> {
    const now = performance.now();
    if (now - this.#counted.at >= COUNT_EVERY_MS) {
      const records = [...this.#records.values()];
      const all = showRuns(this.#db, records);
      // Callers that wait for one of them get the error.
      all.catch(() => undefined);
      const runs = new Map(records.map(({ id }, i) => [id, all.then((shown) => shown[i] as Run)])); // one for each record
      for (const shown of runs.values()) shown.catch(() => undefined);
      this.#counted = { at: now, runs };
    }
    const known = this.#counted.runs.get(run.id);
    if (known !== undefined) return known;
    const [shown] = await showRuns(this.#db, [run]);
    if (shown === undefined) throw new Error("a run was not shown");
    return shown;
  }
}
