/**
 * The rotation of the encryption key: what is sealed with an older key is sealed with the first one, a page of rows at a time, in the
 * background. Nothing is remembered between pages but what the rows themselves say, so it may be ended at any time and goes
 * on after the next start; workers that do it at once do not disturb each other. A new column with sealed values needs an entry
 * here; a test looks for columns that have none.
 */
import { sql } from "./platform/database/database.ts";
import type { Database, Transaction } from "./platform/database/database.ts";
import { placeOfResponse } from "./platform/http/stored-responses.ts";
import type { Log } from "./platform/log.ts";
import { MAIL_QUEUE, placeOfMail } from "./platform/mail/mail-queue.ts";
import { dataOfJobs } from "./platform/queue/queue-tables.ts";
import { placeOfUrl } from "./platform/secrets/bearer-urls.ts";
import type { UrlHolder } from "./platform/secrets/bearer-urls.ts";
import { keepKey, readKeysInUse } from "./platform/secrets/keys-in-use.ts";
import { SEALED_VALUE } from "./platform/secrets/sealing.ts";
import type { Sealer } from "./platform/secrets/sealing.ts";
import { placeOfSecret } from "./resources/connections/connection-secrets.ts";
import { placeOfSigningSecret } from "./resources/webhook-endpoints/signing-secrets.ts";
import type { Metrics } from "./metrics.ts";
import type { SecretHolder } from "./resources/webhook-endpoints/signing-secrets.ts";

/** Rows of a page: a transaction of some tens of milliseconds. */
const PAGE_ROWS = 200;

interface Holder {
  table: string;
  column: string;
  type: "text" | "jsonb";
  /** What the place is made of: names, and where the row has them. */
  key: Readonly<Record<string, string>>;
  place: (key: Record<string, string>) => string;
  /** Other rows hold what customers write, which may look like anything. */
  only?: string;
  /** Rows of before the column was sealed have the plain URL. */
  mayBePlain?: true;
}

const ofResource = { organizationId: "organization_id", id: "id" } as const;
const keyOf = ({ organizationId = "", id = "" }: Record<string, string>) => ({ organizationId, id });

const signingSecrets = (table: SecretHolder): Holder[] =>
  [
    { column: "signing_secret", type: "text" as const },
    { column: "previous_secrets", type: "jsonb" as const },
  ].map((column) => ({ ...column, table, key: ofResource, place: (key) => placeOfSigningSecret(table, keyOf(key)) }));

const url = (table: UrlHolder, column: string, type: "text" | "jsonb"): Holder => ({
  table,
  column,
  type,
  key: ofResource,
  place: (key) => placeOfUrl(table, keyOf(key)),
  mayBePlain: true,
});

export const holders: readonly Holder[] = [
  {
    table: "connections",
    column: "secret",
    type: "text",
    key: ofResource,
    place: ({ organizationId = "", id = "" }) => placeOfSecret(organizationId, id),
  },
  ...signingSecrets("webhook_endpoints"),
  ...signingSecrets("alert_rules"),
  url("webhook_endpoints", "url", "text"),
  url("alert_rules", "sealed_url", "text"),
  { ...url("dataset_uploads", "source", "jsonb"), only: "source_type = 'url'" },
  {
    table: "idempotency_keys",
    column: "body",
    type: "text",
    only: "is_sealed",
    key: { scopeId: "scope_id", method: "method", path: "path", key: "key" },
    place: ({ scopeId = "", method = "", path = "", key = "" }) => placeOfResponse({ scopeId, method, path, key }),
  },
  {
    ...dataOfJobs(MAIL_QUEUE),
    key: { mail: "data ->> 'id'" },
    place: ({ mail = "" }) => placeOfMail(mail),
  },
];

interface Parts {
  database: Database;
  sealer: Sealer;
  log: Log;
  metrics: Pick<Metrics, "observeReseal">;
}

/** To be called again and again: returns at once when there is nothing left to be done. */
export function createReseal({ database, sealer, log, metrics }: Parts): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    const pass = { resealed: 0, failed: 0 };
    for (const holder of holders) {
      const { table, column } = holder;
      const { resealed, failed } = await resealColumn(database, sealer, holder);
      if (resealed > 0) log.info({ table, column, count: resealed }, "sealed with the first key");
      if (failed > 0) log.error({ table, column, count: failed }, "cannot be opened with any of the keys");
      pass.resealed += resealed;
      pass.failed += failed;
    }
    metrics.observeReseal(pass);
    // What was sealed meanwhile, by a process with other settings, is found by the next pass.
    if (pass.resealed + pass.failed > 0) return;
    const inUse = await readKeysInUse(database);
    if (inUse.length > 1) {
      await keepKey(database, sealer.fingerprint);
      log.info("everything is sealed with the first of ROWMILL_ENCRYPTION_KEYS: the others may be removed");
    }
    // A process that has older settings may still seal with an older key, until that is taken out of these, too.
    isDone = sealer.fingerprints.length === 1;
  };
}

async function resealColumn(database: Database, sealer: Sealer, holder: Holder) {
  const count = { resealed: 0, failed: 0 };
  for (;;) {
    const rows = await readPage(database, sealer, holder);
    const before = count.resealed;
    count.failed = 0;
    await database.transaction(async (tx) => {
      for (const row of rows) {
        const resealed = reseal(sealer, holder, row);
        if (resealed === undefined) count.failed++;
        else if (await write(tx, holder, row, resealed)) count.resealed++;
      }
    });
    if (rows.length < PAGE_ROWS || count.resealed === before) return count;
  }
}

interface SealedRow {
  /** Where the row is, until somebody changes it. */
  part: string;
  ctid: string;
  /** JSON. */
  key: string;
  sealed: string;
}

async function readPage({ db }: Database, sealer: Sealer, holder: Holder): Promise<SealedRow[]> {
  const { table, column, key, only = "true", mayBePlain } = holder;
  const members = Object.entries(key).map(([name, from]) => sql`${name}::text, ${sql.raw(from)}`);
  // Sealed with another key, or not at all.
  const pattern = `\\mv1\\.(?!${sealer.fingerprint})[0-9a-f]{16}\\.${mayBePlain === true ? "|https://" : ""}`;
  const { rows } = await sql<SealedRow>`
    select tableoid::text as part, ctid::text as ctid, json_build_object(${sql.join(members)})::text as key,
      ${sql.ref(column)}::text as sealed
    from ${sql.table(table)} where ${sql.raw(only)} and ${sql.ref(column)}::text ~ ${pattern} limit ${PAGE_ROWS}`.execute(
    db,
  );
  return rows;
}

function reseal(sealer: Sealer, { place, mayBePlain }: Holder, { key, sealed }: SealedRow): string | undefined {
  const where = place(JSON.parse(key) as Record<string, string>); // as the statement built it
  const seal = (plain: string): string => sealer.seal(plain, where);
  try {
    const resealed = sealed.replaceAll(SEALED_VALUE, (sealed) => seal(sealer.open(sealed, where)));
    return mayBePlain === true ? resealed.replaceAll(PLAIN_URL, seal) : resealed;
  } catch {
    // The caller counts and reports it: damaged, or sealed with a key that is lost.
    return undefined;
  }
}

/** As text, or within JSON: URLs are stored as the WHATWG parser writes them, which escapes quotes. */
const PLAIN_URL = /https:\/\/[^"]+/g;

/** False where somebody has changed the row meanwhile: the next page finds it again, if it still needs to be. */
async function write(
  tx: Transaction,
  holder: Holder,
  { part, ctid, sealed }: SealedRow,
  resealed: string,
): Promise<boolean> {
  const { table, column, type } = holder;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${resealed}::${sql.raw(type)}
    where ctid = ${ctid}::tid and tableoid = ${part}::oid and ${sql.ref(column)}::text = ${sealed}`.execute(tx);
  return numAffectedRows === 1n;
}
