/**
 * Token buckets that all processes share, without a statement in the database per request. A bucket is one row; a process takes
 * several tokens out of it at once, a *lease*, and spends those by itself. It fetches more while it still has some, so
 * hardly a request waits; what is not spent goes back when the bucket rests.
 *
 * A token is given out once: all processes together never let more pass than `burst + rate × time`. They may let less pass, by
 * what other processes have leased for a moment: at most one lease each, a quarter of a second's worth.
 *
 * The database's clock is the only one that counts.
 */
import type { Pool } from "pg";
import type { Log } from "../log.ts";

/** A bucket's lease lasts about this long at its full rate: four statements a second for a busy organization, however busy. */
const LEASE_SECONDS = 0.25;
/** No process leases more than this part of a small bucket. */
const LEASE_SHARE_OF_BURST = 0.1;
/** Tokens that nobody has asked for in this time go back, for other processes to use. */
const REST_MS = 1_000;
/** Each request covers all waiting callers, so two are enough; more means that the bucket is being emptied by other processes. */
const MAX_ROUNDS = 5;
/** Buckets with a lease at once; each is a few hundred bytes, and no process serves more active keys than this. */
const MAX_LEASES = 50_000;

export interface Bucket {
  organizationId: string;
  /** The organization, or one of its keys. */
  subjectId: string;
  perMinute: number;
  /** Tokens of a full bucket, at least 1. */
  burst: number;
}

export type Taken =
  /** `remaining` tokens, as far as this process knows; full again in `fullInSeconds`. */
  { isGranted: true; remaining: number; fullInSeconds: number } | { isGranted: false; retryInSeconds: number };

export interface Leases {
  take(bucket: Bucket): Promise<Taken>;
  /** For a request that another bucket refused. */
  putBack(bucket: Bucket): void;
  stop(): Promise<void>;
}

interface Lease {
  bucket: Bucket;
  tokens: number;
  /** What was left in the database's bucket, and when (performance.now). */
  left: number;
  leftAt: number;
  /** The bucket is empty until then. */
  refusedUntil: number;
  usedAt: number;
  waiting: number;
  asking: Promise<void> | undefined;
}

const TAKE = statementToTake();
/** Locked in one order: two processes may put back into the same buckets, each in an order of its own, and would wait for each other. */
const PUT_BACK = `with unspent as (
    select b.organization_id, b.subject_id, g.tokens, g.burst
    from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::float8[]) as g (organization_id, subject_id, tokens, burst)
    join rate_limit_buckets b on b.organization_id = g.organization_id and b.subject_id = g.subject_id
    order by b.organization_id, b.subject_id for update of b)
  update rate_limit_buckets b set tokens = least(u.burst, b.tokens + u.tokens)
  from unspent u where b.organization_id = u.organization_id and b.subject_id = u.subject_id`;

export const createLeases = (pool: Pool, log: Log): Leases => new LeasesOfProcess(pool, log);

class LeasesOfProcess implements Leases {
  readonly #pool: Pool;
  readonly #log: Log;
  readonly #leases = new Map<string, Lease>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(pool: Pool, log: Log) {
    this.#pool = pool;
    this.#log = log;
  }

  async take(bucket: Bucket): Promise<Taken> {
    const lease = this.#leaseOf(bucket);
    lease.usedAt = performance.now();
    lease.waiting++;
    try {
      // Callers that arrived during a request were not counted in it, and need another one.
      for (let round = 0; lease.tokens < 1; round++) {
        if (performance.now() < lease.refusedUntil || round === MAX_ROUNDS) return refuse(lease);
        await this.#ask(lease);
      }
    } finally {
      lease.waiting--;
    }
    lease.tokens--;
    if (lease.tokens < leaseSizeOf(bucket) / 2 && performance.now() >= lease.refusedUntil && leaseSizeOf(bucket) > 1)
      this.#ask(lease).catch((error: unknown) =>
        this.#log.warn({ err: error }, "rate limit tokens could not be fetched ahead"),
      );
    return grant(lease);
  }

  putBack(bucket: Bucket): void {
    this.#leaseOf(bucket).tokens++;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.allSettled(leases.flatMap(({ asking }) => (asking === undefined ? [] : [asking])));
    await this.#putUnspentBack(leases);
  }

  #leaseOf(bucket: Bucket): Lease {
    const lease = this.#leases.get(bucket.subjectId) ?? this.#addLease(bucket);
    // Its limit may have been lowered since.
    lease.bucket = bucket;
    lease.tokens = Math.min(lease.tokens, bucket.burst);
    return lease;
  }

  #addLease(bucket: Bucket): Lease {
    const lease: Lease = {
      bucket,
      tokens: 0,
      left: 0,
      leftAt: 0,
      refusedUntil: 0,
      usedAt: 0,
      waiting: 0,
      asking: undefined,
    };
    this.#leases.set(bucket.subjectId, lease);
    if (this.#leases.size > MAX_LEASES) this.#forgetOldest();
    this.#timer ??= setTimeout(() => this.#tidy(), REST_MS).unref();
    return lease;
  }

  /** Its unspent tokens are lost, and come back at the bucket's rate. */
  #forgetOldest(): void {
    for (const subjectId of this.#leases.keys()) {
      this.#leases.delete(subjectId);
      return;
    }
  }

  #ask(lease: Lease): Promise<void> {
    lease.asking ??= this.#refill(lease).finally(() => {
      lease.asking = undefined;
    });
    return lease.asking;
  }

  async #refill(lease: Lease): Promise<void> {
    const { organizationId, subjectId, perMinute, burst } = lease.bucket;
    const wanted = leaseSizeOf(lease.bucket) + lease.waiting;
    const { rows } = await this.#pool.query<{ granted: number; tokens: number }>({
      name: "take-rate-limit-tokens",
      text: TAKE,
      values: [organizationId, subjectId, burst, wanted, perMinute / 60],
    });
    const [{ granted, tokens } = { granted: 0, tokens: 0 }] = rows;
    // The limit was changed meanwhile: tokens of the limit before are not spent, and the next request asks by the new one.
    if (lease.bucket.perMinute !== perMinute || lease.bucket.burst !== burst) return;
    const now = performance.now();
    lease.tokens += granted;
    lease.left = tokens;
    lease.leftAt = now;
    if (granted < wanted) lease.refusedUntil = now + (Math.max(0, 1 - tokens) / perMinute) * 60_000;
  }

  #tidy(): void {
    this.#timer = undefined;
    const restedSince = performance.now() - REST_MS;
    const rested = [...this.#leases.values()].filter(
      (lease) => lease.usedAt < restedSince && lease.waiting === 0 && lease.asking === undefined,
    );
    for (const lease of rested) this.#leases.delete(lease.bucket.subjectId);
    this.#putUnspentBack(rested).catch((error: unknown) =>
      this.#log.warn({ err: error }, "unused rate limit tokens were not released"),
    );
    if (this.#leases.size > 0 && !this.#isStopped) this.#timer = setTimeout(() => this.#tidy(), REST_MS).unref();
  }

  async #putUnspentBack(leases: Lease[]): Promise<void> {
    const unspent = leases.filter((lease) => lease.tokens > 0);
    if (unspent.length === 0) return;
    await this.#pool.query(PUT_BACK, [
      unspent.map(({ bucket }) => bucket.organizationId),
      unspent.map(({ bucket }) => bucket.subjectId),
      unspent.map(({ tokens }) => tokens),
      unspent.map(({ bucket }) => bucket.burst),
    ]);
  }
}

const leaseSizeOf = ({ perMinute, burst }: Bucket): number =>
  Math.max(1, Math.min(Math.ceil((perMinute / 60) * LEASE_SECONDS), Math.floor(burst * LEASE_SHARE_OF_BURST)));

function grant(lease: Lease): Taken {
  const { perMinute, burst } = lease.bucket;
  const refilled = ((performance.now() - lease.leftAt) / 60_000) * perMinute;
  const remaining = Math.floor(Math.min(burst, lease.left + refilled) + lease.tokens);
  return {
    isGranted: true,
    remaining: Math.min(remaining, burst),
    fullInSeconds: Math.ceil((Math.max(0, burst - remaining) / perMinute) * 60),
  };
}

const refuse = (lease: Lease): Taken => ({
  isGranted: false,
  retryInSeconds: Math.max(1, Math.ceil((lease.refusedUntil - performance.now()) / 1000)),
});

/** $1 organization, $2 subject, $3 burst, $4 wanted, $5 tokens a second. Refills, takes, and returns what it got, in one statement. */
function statementToTake(): string {
  const elapsed = "greatest(0, extract(epoch from excluded.refilled_at - b.refilled_at)::float8)";
  const filled = `least($3::float8, b.tokens + $5::float8 * ${elapsed})`;
  const granted = `least($4::float8, floor(${filled}))`;
  return `insert into rate_limit_buckets as b (organization_id, subject_id, tokens, granted, refilled_at)
    values ($1, $2, $3::float8 - least($4::float8, $3::float8), least($4::float8, $3::float8), clock_timestamp())
    on conflict (organization_id, subject_id) do update set
      tokens = ${filled} - greatest(0, ${granted}), granted = greatest(0, ${granted}),
      refilled_at = greatest(b.refilled_at, excluded.refilled_at)
    returning granted, tokens`;
}
