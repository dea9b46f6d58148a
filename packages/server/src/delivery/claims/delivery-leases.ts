/**
 * What the leases of both kinds of deliveries have in common. A delivery with `claimed_until` is being attempted by a worker; `claim_no`
 * fences a worker off whose lease has ended.
 */
import { eachValueText } from "../../platform/database/each-value.ts";

export type DeliveriesTable = "webhook_deliveries" | "alert_deliveries";

interface LeaseKey {
  organizationId: string;
  id: string;
  claimNo: number;
}

/** SQL: whether any delivery waits, or has a lease to end. Each part is one step of an index. `receiver`: the column with where it goes. */
export const isAnyText = (table: DeliveriesTable, receiver: string): string => `
  select (select true from ${table}
      where status = 'pending' and claimed_until is null order by ${receiver} limit 1) is not null
    or (select true from ${table} where claimed_until < now() order by claimed_until limit 1) is not null as "isAny"`;

/** SQL, the inside of a recursive query named `lane`: each receiver for which a delivery waits. */
export const lanesText = (table: DeliveriesTable, receiver: string): string =>
  eachValueText("lane", {
    table,
    column: receiver,
    beside: "organization_id",
    where: "status = 'pending' and claimed_until is null",
  });

/**
 * SQL: whether a delivery that is named by its id still waits. In a form that the index of what waits does not serve: where statistics say
 * that nothing waits, it would be read as a whole for each of them.
 */
export const stillWaitsText = (alias: string): string =>
  `case when ${alias}.claimed_until is null then ${alias}.status end = 'pending'`;

/** SQL: deliveries of dead workers wait again. */
export const endLeasesText = (table: DeliveriesTable): string => `
  update ${table} set claimed_until = null where (organization_id, id) in (
    select organization_id, id from ${table} where claimed_until < now() for update skip locked)`;

/** Releases claims without a record: another worker may take them at once. */
export const releaseStatement = (
  table: DeliveriesTable,
  claims: readonly LeaseKey[],
): { name: string; text: string; values: unknown[] } => ({
  name: `release_${table}`,
  text: `
    update ${table} d set claimed_until = null
    from jsonb_to_recordset($1::jsonb) as c ("organizationId" uuid, id uuid, "claimNo" int)
    where d.organization_id = c."organizationId" and d.id = c.id and d.claim_no = c."claimNo"`,
  values: [JSON.stringify(claims.map(({ organizationId, id, claimNo }) => ({ organizationId, id, claimNo })))],
});
