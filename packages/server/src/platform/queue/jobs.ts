/**
 * What other statements ask about jobs. pg-boss's tables are named in this folder and nowhere else (`tests/table-owners.test.ts`): a new
 * version of pg-boss that changes them concerns no other.
 */
import { sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import type { RawBuilder } from "kysely";

/** A job that waits, waits to be retried, or is being worked on. */
const isOpen = sql`j.state in ('created', 'retry', 'active')`;

/**
 * A condition for statements: one of these queues has an open job for which `where` holds. In `where`, `j` is the job: `j.id`, `j.data`.
 */
export const openJobExists = (queues: readonly string[], where: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from pgboss.job j where j.name = any(${queues}) and ${isOpen} and ${where})`;

export async function countOpenJobs(db: Queryable, queue: string, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ jobs: number }>`
    select count(*)::int as jobs from pgboss.job j where j.name = ${queue} and ${isOpen} and ${where}`.execute(db);
  return rows[0]?.jobs ?? 0;
}

/** Jobs that were sent for a later time, and of which `where` holds, may begin now. */
export async function beginJobsNow(db: Queryable, queue: string, where: RawBuilder<unknown>): Promise<void> {
  await sql`
    update pgboss.job j set start_after = now()
    where j.name = ${queue} and j.state = 'created' and j.start_after > now() and ${where}`.execute(db);
}

/** Open jobs by queue. */
export async function countJobsByQueue(db: Queryable): Promise<{ label: string; count: number }[]> {
  const { rows } = await sql<{ label: string; count: number }>`
    select j.name as label, count(*) as count from pgboss.job j where ${isOpen} group by j.name`.execute(db);
  return rows;
}

/** By queue, in seconds: how long the oldest of the jobs that could begin has waited. 0 where none does: what scales by it needs a value. */
export async function readOldestJobs(db: Queryable): Promise<{ label: string; count: number }[]> {
  const { rows } = await sql<{ label: string; count: number }>`
    select q.name as label, coalesce(w.seconds, 0)::float8 as count from pgboss.queue q left join (
      select j.name, extract(epoch from now() - min(j.start_after)) as seconds from pgboss.job j
      where j.state in ('created', 'retry') and j.start_after <= now() group by j.name) w on w.name = q.name`.execute(
    db,
  );
  return rows;
}

/** Whether jobs of other groups wait in the queue for a place, and whether one waits for which `own` holds. */
export async function findWaitingJobs(
  db: Queryable,
  queue: string,
  group: string,
  own: RawBuilder<unknown>,
): Promise<{ others: boolean; own: boolean }> {
  const { rows } = await sql<{ others: boolean; own: boolean }>`
    select coalesce(bool_or(j.group_id <> ${group} and j.start_after <= now()), false) as others, coalesce(bool_or(${own}), false) as own
    from pgboss.job j where j.name = ${queue} and j.state in ('created', 'retry')`.execute(db);
  return rows[0] ?? { others: false, own: false };
}

/**
 * The pg-boss priority of a job that is to come after `before` others of its owner, counted from the front of the queue. An owner with few
 * jobs there comes soon, one with many comes with one of them in each round; and since the front moves on with each job that is taken,
 * everybody comes in the end.
 */
export async function placeInLine(tx: Queryable, queue: string, before: RawBuilder<number>): Promise<number> {
  const { rows } = await sql<{ place: number }>`select ${placeIn(queue, before)} as place`.execute(tx);
  return rows[0]?.place ?? 0;
}

/** The same as an expression, for statements that are prepared. */
export const placeIn = (queue: string, before: RawBuilder<number>): RawBuilder<number> =>
  sql<number>`-least(front_of_line(${queue}) + ${before}, ${sql.lit(LAST_PLACE)})::int`;

/** The greatest `integer`. */
const LAST_PLACE = 2_147_483_647;
