/**
 * `?waitSeconds=` of what ends once: dataset uploads, exports, bulk actions. The response comes when the thing has ended, the time is
 * over, or the service stops; at once where its key has many such reads. Holds no connection of the database meanwhile, and shares its
 * looks with all others of the organization.
 */
import type { OrganizationCaller } from "../platform/auth/caller.ts";
import type { Queryable } from "../platform/database/database.ts";
import { createFirstFollows } from "../platform/first-follows.ts";
import type { WaitingReads } from "../platform/http/waiting-reads.ts";
import { shareLooks } from "../platform/shared-looks.ts";
import type { Follower, SharedLooks } from "../platform/shared-looks.ts";

/** What is read of a thing while a request waits. */
interface EndingRecord {
  id: string;
  finishedAt: Date | null;
}

type Table = "datasetUploads" | "exports" | "bulkActions";

type ReadEnds = (db: Queryable, organizationId: string, ids: string[]) => Promise<EndingRecord[]>;

const readers: Record<Table, ReadEnds> = {
  datasetUploads: (db, organizationId, ids) =>
    db
      .selectFrom("datasetUploads")
      .select(["id", "finishedAt"])
      .where("organizationId", "=", organizationId)
      .where("id", "in", ids)
      .execute(),
  exports: (db, organizationId, ids) =>
    db
      .selectFrom("exports")
      .select(["id", "finishedAt"])
      .where("organizationId", "=", organizationId)
      .where("id", "in", ids)
      .execute(),
  bulkActions: (db, organizationId, ids) =>
    db
      .selectFrom("bulkActions")
      .select(["id", "finishedAt"])
      .where("organizationId", "=", organizationId)
      .where("id", "in", ids)
      .execute(),
};

export interface EndFeeds {
  follow(table: Table, db: Queryable, organizationId: string, id: string): Follower<EndingRecord>;
}

export function createEndFeeds(): EndFeeds {
  const feeds = new Map<string, SharedLooks<EndingRecord>>();
  const firstFollows = createFirstFollows();
  return {
    follow(table, db, organizationId, id) {
      const key = `${table} ${organizationId}`;
      let feed = feeds.get(key);
      if (feed === undefined) {
        const onEmpty = (): unknown => feeds.delete(key);
        feed = shareLooks({ firstFollows, read: (ids) => readers[table](db, organizationId, ids), onEmpty });
        feeds.set(key, feed);
      }
      return feed.follow(id);
    },
  };
}

export interface EndWaitParts {
  endFeeds: EndFeeds;
  waitingReads: WaitingReads;
}

interface WaitingRead<T> {
  table: Table;
  waitSeconds: number | undefined;
  /** Called once more after the wait. */
  find: () => Promise<T>;
}

/** What `find` finds: at once where it has ended, otherwise when it ends, or after `waitSeconds` at the latest. */
export async function readAfterEnd<T extends EndingRecord>(
  db: Queryable,
  caller: OrganizationCaller,
  { table, waitSeconds = 0, find }: WaitingRead<T>,
  { endFeeds, waitingReads }: EndWaitParts,
): Promise<T> {
  const found = await find();
  if (found.finishedAt !== null || waitSeconds === 0) return found;
  const follow = () => endFeeds.follow(table, db, caller.organizationId, found.id);
  await waitingReads.wait(caller, waitSeconds, follow, ({ finishedAt }) => finishedAt !== null);
  return find();
}
