/**
 * How many requests may be made: by an organization with all its keys, and by a key that has a limit of its own, together with
 * the keys that were made with it. Otherwise a throttled key could multiply its limit by making keys. Responses report
 * how things stand in the fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 */
import { createHash } from "node:crypto";
import type { Pool } from "pg";
import type { KeyIdentity, RequestLimits } from "../auth/caller.ts";
import { ApiError } from "./errors.ts";
import type { Log } from "../log.ts";
import { createAddressLimit } from "../rate-limits/address-limit.ts";
import type { AddressLimit } from "../rate-limits/address-limit.ts";
import { createLeases } from "../rate-limits/leases.ts";
import type { Bucket, Leases } from "../rate-limits/leases.ts";

type LimitedKey = KeyIdentity & { requestsPerMinute: RequestLimits };

export interface RateLimits {
  /** Resolves to the header fields of the response; throws `rate_limited` with those of its own. */
  take(key: LimitedKey): Promise<Record<string, string>>;
  /** For a request without a key that may be used. Throws `rate_limited`. */
  takeAnonymous(ip: string): void;
  /**
   * Before the key of a request is looked up. One that this process has not seen in use takes a token of the address, which it
   * gets back if the key is valid. Throws `rate_limited` when there is none left.
   */
  beginAuthentication(ip: string, authorization: string | undefined): Promise<Authentication>;
  stop(): Promise<void>;
}

export interface Authentication {
  /** `unknown`: it could not be found out. */
  end(result: "valid" | "refused" | "unknown"): void;
}

/** Keys that this process has seen in use; the one that was quiet for longest is forgotten first. */
const MAX_KNOWN_KEYS = 20_000;

interface Defaults {
  perMinute: number;
  burst: number;
  clockOfAddresses?: (() => number) | undefined;
}

export function createRateLimits(pool: Pool, log: Log, defaults: Defaults): RateLimits {
  const leases = createLeases(pool, log);
  const authentications = new Authentications(createAddressLimit(defaults.clockOfAddresses));
  return {
    take: (key) => takeAll(leases, policiesOf(key, defaults)),
    takeAnonymous: (ip) => authentications.takeToken(ip),
    beginAuthentication: (ip, authorization) => authentications.begin(ip, authorization),
    stop: () => leases.stop(),
  };
}

interface Policy {
  name: string;
  bucket: Bucket;
}

/** Of the key, of the keys it was made with, and of the organization. */
function policiesOf({ organizationId, requestsPerMinute: own }: LimitedKey, defaults: Defaults): Policy[] {
  const bucketOf = (subjectId: string, perMinute: number): Bucket => ({
    organizationId,
    subjectId,
    perMinute,
    burst: Math.min(defaults.burst, perMinute),
  });
  return [
    ...own.keys.map(({ keyId, perMinute }, i) => ({
      name: i === 0 ? "key" : `maker-${i}`,
      bucket: bucketOf(keyId, perMinute),
    })),
    { name: "organization", bucket: bucketOf(organizationId, own.organization ?? defaults.perMinute) },
  ];
}

/** One token of each bucket, or none of any. */
async function takeAll(leases: Leases, policies: readonly Policy[]): Promise<Record<string, string>> {
  const policyField = policies.map(({ name, bucket }) => `"${name}";q=${bucket.perMinute};w=60`).join(", ");
  const states: string[] = [];
  const spent: Bucket[] = [];
  for (const { name, bucket } of policies) {
    const taken = await leases.take(bucket);
    if (!taken.isGranted) {
      for (const other of spent) leases.putBack(other);
      throw new ApiError("rate_limited", sentenceOf(name, bucket), {
        retryAfterSeconds: taken.retryInSeconds,
        headers: {
          "RateLimit-Policy": policyField,
          RateLimit: `"${name}";r=0;t=${taken.retryInSeconds}`,
        },
      });
    }
    spent.push(bucket);
    states.push(`"${name}";r=${taken.remaining};t=${taken.fullInSeconds}`);
  }
  return { "RateLimit-Policy": policyField, RateLimit: states.join(", ") };
}

class Authentications {
  readonly #addresses: AddressLimit;
  /** By hash: a dump of the process's memory must not contain keys. */
  readonly #known = new Set<string>();
  /** First look-ups under way: further requests with the same key wait for them, and take no token. */
  readonly #lookUps = new Map<string, Promise<boolean>>();

  constructor(addresses: AddressLimit) {
    this.#addresses = addresses;
  }

  takeToken(ip: string): void {
    const retryAfterSeconds = this.#addresses.take(ip);
    if (retryAfterSeconds !== undefined)
      throw new ApiError("rate_limited", "Too many requests without a valid API key from your address.", {
        retryAfterSeconds,
      });
  }

  async begin(ip: string, authorization: string | undefined): Promise<Authentication> {
    const name = createHash("sha256")
      .update(authorization ?? "")
      .digest("base64");
    if (this.#known.has(name) || (await this.#lookUps.get(name)) === true) return this.#beginWithKnownKey(ip, name);
    this.takeToken(ip);
    const lookUp = Promise.withResolvers<boolean>();
    const isFirst = !this.#lookUps.has(name);
    if (isFirst) this.#lookUps.set(name, lookUp.promise);
    return {
      end: (result) => {
        if (isFirst) this.#lookUps.delete(name);
        lookUp.resolve(result === "valid");
        if (result === "valid") this.#noteKnown(name);
        if (result !== "refused") this.#addresses.release(ip);
      },
    };
  }

  #beginWithKnownKey(ip: string, name: string): Authentication {
    return {
      end: (result) => {
        if (result === "valid") this.#noteKnown(name);
        if (result !== "refused") return;
        // It was revoked: the next request with it takes its token first.
        this.#known.delete(name);
        this.takeToken(ip);
      },
    };
  }

  #noteKnown(name: string): void {
    this.#known.delete(name);
    this.#known.add(name);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN_KEYS && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Whether a token that was taken of the one is what the other would take. */
export const haveSameLimits = (one: LimitedKey, other: LimitedKey): boolean =>
  JSON.stringify(one.requestsPerMinute) === JSON.stringify(other.requestsPerMinute);

const sentenceOf = (name: string, { perMinute, burst }: Bucket): string =>
  `The ${name === "organization" ? "organization" : "API key, with the keys that were made with it,"} may make ${perMinute} requests a minute, ${burst} of them at once.`;
