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
import { createLeases } from "../rate-limits/leases.ts";
import type { Bucket } from "../rate-limits/leases.ts";

type LimitedKey = KeyIdentity & { requestsPerMinute: RequestLimits };

export interface RateLimits {
  /** Answers the header fields of the answer; throws `rate_limited` with those of its own. */
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

export function createRateLimits(
  pool: Pool,
  log: Log,
  defaults: { perMinute: number; burst: number; clockOfAddresses?: (() => number) | undefined },
): RateLimits {
  const leases = createLeases(pool, log);
  const addresses = createAddressLimit(defaults.clockOfAddresses);
  /** By hash: a dump of the process's memory must not contain keys. */
  const known = new Set<string>();
  /** First look-ups under way: further requests with the same key wait for them, and take no token. */
  const lookUps = new Map<string, Promise<boolean>>();
  function noteKnown(name: string): void {
    known.delete(name);
    known.add(name);
    const [oldest] = known;
    if (known.size > MAX_KNOWN_KEYS && oldest !== undefined) known.delete(oldest);
  }
  const nameOf = (authorization: string): string => createHash("sha256").update(authorization).digest("base64");
  const refuseAddress = (retryAfterSeconds: number | undefined): void => {
    if (retryAfterSeconds !== undefined)
      throw new ApiError("rate_limited", "Too many requests without a valid API key from your address.", {
        retryAfterSeconds,
      });
  };

  const bucketOf = (organizationId: string, subjectId: string, perMinute: number): Bucket => ({
    organizationId,
    subjectId,
    perMinute,
    burst: Math.min(defaults.burst, perMinute),
  });

  return {
    async take({ organizationId, requestsPerMinute: own }) {
      const policies = [
        ...own.keys.map(({ keyId, perMinute }, i) => ({
          name: i === 0 ? "key" : `maker-${i}`,
          bucket: bucketOf(organizationId, keyId, perMinute),
        })),
        {
          name: "organization",
          bucket: bucketOf(organizationId, organizationId, own.organization ?? defaults.perMinute),
        },
      ];
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
    },
    takeAnonymous: (ip) => refuseAddress(addresses.take(ip)),
    async beginAuthentication(ip, authorization) {
      const name = nameOf(authorization ?? "");
      if (known.has(name) || (await lookUps.get(name)) === true)
        return {
          end(result) {
            if (result === "valid") noteKnown(name);
            if (result !== "refused") return;
            // It was revoked: the next request with it takes its token first.
            known.delete(name);
            refuseAddress(addresses.take(ip));
          },
        };
      refuseAddress(addresses.take(ip));
      const lookUp = Promise.withResolvers<boolean>();
      const isFirst = !lookUps.has(name);
      if (isFirst) lookUps.set(name, lookUp.promise);
      return {
        end(result) {
          if (isFirst) lookUps.delete(name);
          lookUp.resolve(result === "valid");
          if (result === "valid") noteKnown(name);
          if (result !== "refused") addresses.giveBack(ip);
        },
      };
    },
    stop: () => leases.stop(),
  };
}

/** Whether a token that was taken of the one is what the other would take. */
export const haveSameLimits = (one: LimitedKey, other: LimitedKey): boolean =>
  JSON.stringify(one.requestsPerMinute) === JSON.stringify(other.requestsPerMinute);

const sentenceOf = (name: string, { perMinute, burst }: Bucket): string =>
  `The ${name === "organization" ? "organization" : "API key, with the keys that were made with it,"} may make ${perMinute} requests a minute, ${burst} of them at once.`;
