/**
 * How many requests may be made: by an organization with all its keys, and by a key that has a limit of its own, together with
 * the keys that were made with it. Otherwise a throttled key could multiply its limit by making keys. Answers tell
 * how things stand in the fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers).
 */
import type { Pool } from "pg";
import type { KeyIdentity, RequestLimits } from "../auth/caller.ts";
import { ApiError } from "../http/errors.ts";
import type { Log } from "../log.ts";
import { createAddressLimit } from "./addresses.ts";
import { createLeases } from "./leases.ts";
import type { Bucket } from "./leases.ts";

export interface RateLimits {
  /** Answers the header fields of the answer; throws `rate_limited` with those of its own. */
  take(key: KeyIdentity & { requestsPerMinute: RequestLimits }): Promise<Record<string, string>>;
  /** For a request without a key that may be used. Throws `rate_limited`. */
  takeAnonymous(ip: string): void;
  stop(): Promise<void>;
}

export function createRateLimits(pool: Pool, log: Log, defaults: { perMinute: number; burst: number }): RateLimits {
  const leases = createLeases(pool, log);
  const addresses = createAddressLimit();

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
    takeAnonymous(ip) {
      const retryAfterSeconds = addresses.take(ip);
      if (retryAfterSeconds !== undefined)
        throw new ApiError("rate_limited", "Too many requests without a valid API key from your address.", {
          retryAfterSeconds,
        });
    },
    stop: () => leases.stop(),
  };
}

const sentenceOf = (name: string, { perMinute, burst }: Bucket): string =>
  `The ${name === "organization" ? "organization" : "API key, with the keys that were made with it,"} may make ${perMinute} requests a minute, ${burst} of them at once.`;
