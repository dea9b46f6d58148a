/**
 * What the events of the stream change in what is shown. Counts of runs are written into every copy of the run in place; everything
 * else is read again, at most once in `REFRESH_MS`. Lists are never drawn again by an event: their newest page is read beside them,
 * and "N new" asks for it (`lists.ts`).
 */
import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

export interface LiveEvent {
  event: string;
  data: unknown;
}
type Progress = Pick<Run, "state" | "rows" | "progress"> & { runId: string };

/** A screen that is read is not read more often than that, whatever the number of events. */
const REFRESH_MS = 1_500;
const SOON_MS = 100;
/** Counts come with the stream. What a run costs does not: while counts come, it is read this often. */
const COST_MS = 5_000;
/** Runs of a list that changed at once and are read one by one; beyond, the newest page has to do. */
const MAX_RUNS_AT_ONCE = 40;

/** Rows, failures and the map of a run follow its counts. */
const FOLLOW_PROGRESS = ["map", "rows", "failure-groups", "resolved"];

export class LiveUpdates {
  readonly #queries: QueryClient;
  readonly #readRun: (id: string) => Promise<Run>;
  readonly #due = new Map<string, QueryKey>();
  readonly #runsDue = new Set<string>();
  #isWaiting = false;
  #flushedAt = -Infinity;
  #costsReadAt = performance.now();

  constructor(queries: QueryClient, readRun: (id: string) => Promise<Run>) {
    this.#queries = queries;
    this.#readRun = readRun;
  }

  apply(events: readonly LiveEvent[]): void {
    // Of the counts of a run only the newest matter.
    const newest = new Map<string, Progress>();
    for (const { event, data } of events) {
      if (event === "run.progress") newest.set((data as Progress).runId, data as Progress);
      else this.#applyEvent(event, data);
    }
    for (const progress of newest.values()) this.#applyProgress(progress);
    if (newest.size > 0 && performance.now() - this.#costsReadAt >= COST_MS) this.#readCosts();
  }

  /** Events may have been missed: everything in sight is read again. */
  refreshAll(): void {
    this.#refresh([]);
  }

  #applyProgress({ runId, state, rows, progress }: Progress): void {
    this.#patch(runId, (run) => (isTerminal(run) ? run : { ...run, state, rows, progress }));
    for (const part of FOLLOW_PROGRESS) this.#refresh(["runs", runId, part]);
  }

  /** A query that polls by itself would not do: its interval begins again with each count that is written into its data. */
  #readCosts(): void {
    this.#costsReadAt = performance.now();
    for (const part of ["list", "home", "open"]) this.#refresh(["runs", part]);
    for (const query of this.#copies()) {
      const { data } = query.state;
      if (query.isActive() && isRun(data, String(query.queryKey[1])) && !isTerminal(data)) this.#runsDue.add(data.id);
    }
  }

  #applyEvent(event: string, envelope: unknown): void {
    const { data = {} } = envelope as { data?: { object?: string; id?: string; runId?: string } };
    switch (data.object) {
      case "run":
        if (data.id === undefined) return;
        this.#refresh(["runs", data.id]);
        for (const part of ["list", "home", "open", "budgets"]) this.#refresh(["runs", part]);
        if (this.#runsDue.size < MAX_RUNS_AT_ONCE && this.#isListed(data.id)) this.#runsDue.add(data.id);
        if (event === "run.finished") this.#refresh(["usage"]);
        return;
      case "export":
        if (data.runId !== undefined) this.#refresh(["runs", data.runId, "exports"]);
        return;
      case "dataset":
        this.#refresh(["datasets"]);
        this.#refresh(["dataset-uploads"]);
        return;
      case "bulk_action":
        this.#refresh(["bulk-actions"]);
        this.#refresh(["runs"]);
        return;
      case "webhook_endpoint":
        this.#refresh(["webhook-endpoints"]);
        return;
      default:
        if (event === "stream.gap") this.refreshAll();
    }
  }

  #refresh(key: QueryKey): void {
    this.#due.set(JSON.stringify(key), key);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => this.#flush(), Math.max(SOON_MS, this.#flushedAt + REFRESH_MS - performance.now()));
  }

  #flush(): void {
    this.#isWaiting = false;
    this.#flushedAt = performance.now();
    const keys = [...this.#due.values()];
    const runs = [...this.#runsDue];
    this.#due.clear();
    this.#runsDue.clear();
    for (const queryKey of keys)
      void this.#queries.invalidateQueries({ queryKey, predicate: isNotDrawnList }, { cancelRefetch: false });
    for (const id of runs) void this.#readAgain(id);
  }

  async #readAgain(id: string): Promise<void> {
    try {
      const run = await this.#readRun(id);
      this.#patch(id, (shown) => withNewerCounts(run, shown));
    } catch (error) {
      // It was deleted meanwhile, or the service is away: the list is read again then.
      console.debug(error);
    }
  }

  #copies(): Query[] {
    return this.#queries
      .getQueryCache()
      .findAll({ queryKey: ["runs"] })
      .filter(({ queryKey }) => queryKey.length === 2 || !String(queryKey[1]).startsWith("run_"));
  }

  #isListed(id: string): boolean {
    return this.#copies().some(
      (query) =>
        query.isActive() &&
        query.queryKey.at(-1) === "pages" &&
        changeRun(query.state.data, id, MARK) !== query.state.data,
    );
  }

  #patch(id: string, change: (run: Run) => Run): void {
    for (const query of this.#copies()) {
      const changed = changeRun(query.state.data, id, change);
      // The time stays that of the last read: it says which of two copies of a list is newer.
      if (changed !== query.state.data)
        this.#queries.setQueryData(query.queryKey, changed, { updatedAt: query.state.dataUpdatedAt });
    }
  }
}

/** Counts of the stream may have passed the response: no bar goes back. */
function withNewerCounts(read: Run, shown: Run): Run {
  if (isTerminal(read) || doneOf(read) >= doneOf(shown)) return read;
  return { ...read, rows: shown.rows, progress: shown.progress };
}
const doneOf = ({ rows }: Run): number => rows.succeeded + rows.failed;

const MARK = (run: Run): Run => ({ ...run });

/** Reading a list of rows again reads all its pages that somebody has scrolled through. */
const MAX_PAGES_READ_AGAIN = 3;

/** What somebody looks at must not jump away: a list is drawn again only when it is asked for. */
const isNotDrawnList = ({ queryKey, state: { data } }: Query): boolean =>
  queryKey.at(-1) !== "pages" && !(isPages(data) && data.pages.length > MAX_PAGES_READ_AGAIN);

/** The data of a query with the run changed in it: a run, a list of runs, or the pages of one; otherwise the same data. */
export function changeRun(data: unknown, id: string, change: (run: Run) => Run): unknown {
  if (Array.isArray(data)) {
    const at = data.findIndex((item) => isRun(item, id));
    return at === -1 ? data : data.with(at, change(data[at] as Run));
  }
  if (isRun(data, id)) return change(data);
  if (!isPages(data)) return data;
  const pages = data.pages.map((page) => {
    const changed = changeRun(page.data, id, change);
    return changed === page.data ? page : { ...page, data: changed };
  });
  return pages.every((page, i) => page === data.pages[i]) ? data : { ...data, pages };
}

const isRun = (data: unknown, id: string): data is Run =>
  typeof data === "object" && data !== null && "id" in data && data.id === id && "jobSpecId" in data;
const isPages = (data: unknown): data is { pages: { data: unknown }[] } =>
  typeof data === "object" && data !== null && "pages" in data && Array.isArray(data.pages);
