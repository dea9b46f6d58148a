/**
 * Attempts of known keys that were refused: `auth.denied`. The first of a key and reason is recorded at once; of the next ones,
 * however many, one a minute is, with their number. What a process counts it writes once a minute to `denied_attempts`, where
 * the processes' counts meet; a process that is killed loses the count of its last minute, never the first attempt.
 */
import { sql } from "kysely";
import type { Denial, OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { DeniedAttempt } from "../../platform/database/account-tables.ts";
import { rememberFailures, untilNoneLeft } from "../../platform/database/failures-by-organization.ts";
import type { FormerFailures } from "../../platform/database/failures-by-organization.ts";
import type { Log } from "../../platform/log.ts";
import { doBoth } from "../../platform/log-failures.ts";
import { recordAudit } from "./audit-events.ts";
import { storableJson } from "../../platform/text.ts";
import { cutText } from "../../platform/text.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const RECORD_EVERY_SECONDS = 60;
/** Keys and reasons counted at once; over it the oldest count is written early. */
const MAX_COUNTED = 10_000;
/** Of a path; the rest says nothing more about who tried what. */
const MAX_PATH_LENGTH = 500;
/** A row that rested for this long is forgotten: the next attempt is a first one again. */
const FORGET_AFTER_HOURS = 24;

export interface DeniedAttempts {
  record(denial: Denial): Promise<void>;
  /** Writes what is counted. */
  stop(): Promise<void>;
}

interface Counted {
  count: number;
  latest: Denial;
}

export function createDeniedAttempts(database: Database, log: Log): DeniedAttempts {
  /** Those of a key and reason since the last write; there as long as the next is not written at once. */
  const counted = new Map<string, Counted>();
  const timer = setInterval(() => void flush(), RECORD_EVERY_SECONDS * 1000).unref();

  async function flush(): Promise<void> {
    for (const [name, entry] of counted) {
      counted.delete(name);
      await writeCounted(entry);
    }
  }

  async function writeCounted({ count, latest }: Counted): Promise<void> {
    if (count === 0) return;
    try {
      await countDenials(database, latest, count);
    } catch (error) {
      log.error({ err: error, count, code: latest.code }, "denied attempts could not be recorded");
    }
  }

  return {
    async record(denial) {
      const name = `${denial.apiKeyId} ${denial.code}`;
      const known = counted.get(name);
      if (known !== undefined) {
        known.count++;
        known.latest = denial;
        return;
      }
      counted.set(name, { count: 0, latest: denial });
      if (counted.size > MAX_COUNTED) {
        const [oldest] = counted;
        if (oldest !== undefined) {
          counted.delete(oldest[0]);
          await writeCounted(oldest[1]);
        }
      }
      await writeCounted({ count: 1, latest: denial });
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Makes an audit event of them, or, if there was one within the minute, keeps their number for the next. */
async function countDenials(database: Database, denial: Denial, count: number): Promise<void> {
  const { organizationId, apiKeyId, code } = denial;
  const latest: DeniedAttempt = {
    memberId: denial.memberId,
    requestId: denial.requestId,
    ip: denial.ip,
    method: denial.method,
    path: cutText(denial.path, MAX_PATH_LENGTH),
    requiredScopes: [...denial.requiredScopes],
  };
  await database.transaction(async (tx) => {
    const first = await tx
      .insertInto("deniedAttempts")
      .values({ organizationId, apiKeyId, code, recordedAt: sharedNow() })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (first.numInsertedOrUpdatedRows === 1n)
      return recordDenied(tx, { organizationId, apiKeyId, code, count, latest });
    const row = await tx
      .selectFrom("deniedAttempts")
      .select(["unrecorded", isDue.as("isDue")])
      .where("organizationId", "=", organizationId)
      .where("apiKeyId", "=", apiKeyId)
      .where("code", "=", code)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const total = row.unrecorded + count;
    if (row.isDue) await recordDenied(tx, { organizationId, apiKeyId, code, count: total, latest });
    await tx
      .updateTable("deniedAttempts")
      .set(
        row.isDue
          ? { recordedAt: sharedNow(), unrecorded: 0, latest: null }
          : { unrecorded: total, latest: storableJson(latest) },
      )
      .where("organizationId", "=", organizationId)
      .where("apiKeyId", "=", apiKeyId)
      .where("code", "=", code)
      .execute();
  });
}

const isDue = sql<boolean>`recorded_at <= now() - make_interval(secs => ${RECORD_EVERY_SECONDS})`;

/** Periodic: what was counted after the last attempt of a burst is recorded, too. */
export async function recordDeniedAttempts(database: Database, former = rememberFailures()): Promise<void> {
  await doBoth(
    () => recordDue(database, former("record")),
    () => forgetOld(database),
  );
}

async function forgetOld({ db }: Database): Promise<void> {
  await sql`delete from denied_attempts
    where unrecorded = 0 and recorded_at < now() - make_interval(hours => ${FORGET_AFTER_HOURS})`.execute(db);
}

/** What cannot be recorded is left out by its key: those of other keys go on. */
async function recordDue(database: Database, former: FormerFailures): Promise<void> {
  await untilNoneLeft(
    (failures, note) =>
      database.transaction(async (tx) => {
        const rows = await tx
          .selectFrom("deniedAttempts")
          .selectAll()
          .where("unrecorded", ">", 0)
          .where(isDue)
          .where(failures.leftOut("organization_id", "api_key_id"))
          .orderBy("recordedAt")
          .limit(1)
          .forUpdate()
          .skipLocked()
          .execute();
        for (const { organizationId, apiKeyId, code, unrecorded, latest } of rows) {
          note({ organizationId, id: apiKeyId });
          if (latest !== null) await recordDenied(tx, { organizationId, apiKeyId, code, count: unrecorded, latest });
          await tx
            .updateTable("deniedAttempts")
            .set({ recordedAt: sharedNow(), unrecorded: 0, latest: null })
            .where("organizationId", "=", organizationId)
            .where("apiKeyId", "=", apiKeyId)
            .where("code", "=", code)
            .execute();
        }
        return rows.length > 0;
      }),
    former,
  );
}

interface Denied {
  organizationId: string;
  apiKeyId: string;
  code: string;
  count: number;
  latest: DeniedAttempt;
}

async function recordDenied(tx: Transaction, { organizationId, apiKeyId, code, count, latest }: Denied): Promise<void> {
  const { memberId, requestId, ip, method, path, requiredScopes } = latest;
  const actor: OrganizationCaller = {
    kind: "organization",
    session: null,
    organizationId,
    apiKeyId,
    memberId,
    scopes: new Set(),
    requestId,
    ip,
  };
  const more = requiredScopes.length === 0 ? {} : { requiredScopes };
  await recordAudit(tx, actor, "auth.denied", { organizationId, id: apiKeyId }, { code, method, path, count, ...more });
}
