/**
 * `GET /v1/dataset-uploads/{id}?waitSeconds=`: responds when the upload has ended, the time is over, or the service stops;
 * at once where its key has many such reads. Holds no connection of the database meanwhile, and shares its looks with all others of the
 * organization.
 */
import type { Queryable } from "../../platform/database/database.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import type { WaitingReads } from "../../platform/http/waiting-reads.ts";
import { createFirstFollows } from "../../platform/first-follows.ts";
import { shareLooks } from "../../platform/shared-looks.ts";
import type { Follower, SharedLooks } from "../../platform/shared-looks.ts";
import { describeUpload, findUpload } from "./dataset-uploads.ts";
import type { UploadParts } from "./dataset-uploads.ts";

/** What is read of an upload while a request waits. */
interface FollowedUpload {
  id: string;
  finishedAt: Date | null;
}

export interface UploadFeeds {
  follow(db: Queryable, organizationId: string, uploadId: string): Follower<FollowedUpload>;
}

export function createUploadFeeds(): UploadFeeds {
  const feeds = new Map<string, SharedLooks<FollowedUpload>>();
  const firstFollows = createFirstFollows();
  return {
    follow(db, organizationId, uploadId) {
      let feed = feeds.get(organizationId);
      if (feed === undefined) {
        const onEmpty = (): unknown => feeds.delete(organizationId);
        feed = shareLooks({ firstFollows, read: (ids) => readFollowed(db, organizationId, ids), onEmpty });
        feeds.set(organizationId, feed);
      }
      return feed.follow(uploadId);
    },
  };
}

const readFollowed = (db: Queryable, organizationId: string, ids: string[]): Promise<FollowedUpload[]> =>
  db
    .selectFrom("datasetUploads")
    .select(["id", "finishedAt"])
    .where("organizationId", "=", organizationId)
    .where("id", "in", ids)
    .execute();

interface WaitParts extends UploadParts {
  uploadFeeds: UploadFeeds;
  waitingReads: WaitingReads;
}

export const getDatasetUpload: OperationFunction<"getDatasetUpload", WaitParts> = async (
  db,
  caller,
  { params: { datasetUploadId: id }, query: { waitSeconds = 0 } },
  parts,
) => {
  const upload = await findUpload(db, caller, id);
  if (upload.finishedAt !== null || waitSeconds === 0) return describeUpload(parts, upload);
  const follow = () => parts.uploadFeeds.follow(db, caller.organizationId, id);
  await parts.waitingReads.wait(caller, waitSeconds, follow, ({ finishedAt }) => finishedAt !== null);
  return describeUpload(parts, await findUpload(db, caller, id));
};
