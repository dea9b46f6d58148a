/**
 * How many requests a process works on at once. What is above the bound gets a 503 with `Retry-After` before anything is done for
 * it: requests that wait in the process cost memory, and are late for their clients by the time they are served.
 *
 *   short  most requests: they use the database for milliseconds
 *   long   uploads, downloads, streams, waiting reads, tests that call a provider: they may last for hours, and use little at any moment
 *
 * How many short requests can be served in time depends on the machine and on what else it does, such as rows. So their bound
 * follows what they take: it falls while most of them are slow, and grows again while they are quick. Probes and pages are not
 * counted: they need no key, and next to no work.
 *
 * Once it is known whose request it is, its organization may have a share of the bound: always of the long ones, which keep their
 * places, and of the short ones while the bound has fallen. So no organization keeps the others out, however many keys it has.
 */
import type { FastifyRequest } from "fastify";
import { createOrganizationShares } from "../organization-shares.ts";
import { plural } from "../plural.ts";
import { ApiError } from "./errors.ts";

/** What a client notices. In a process that is not overloaded nearly all requests take a hundredth of that. */
const SLOW_MS = 500;
/** Short requests after which the bound is set again: few enough for a slow machine, and more than a single client's odd request. */
const WINDOW = 20;
const SHRINK = 0.7;
const GROW = 1.1;
/** The bound stays above this part of the setting: a tenant whose requests are slow by nature must not leave the others without. */
const LEAST_SHARE = 0.05;
/** Clients that were refused together come again at different times. */
const RETRY_AFTER_SECONDS = [1, 3] as const;

/** Expected, and counted by the metrics of requests: a line in the log for each would be a load of its own. */
export class OverloadedError extends ApiError {}

type RequestKind = "short" | "long";

/** The place of a request among those that the process works on. */
export interface RequestPlace {
  /** Throws where the organization has its share: `rate_limited` for a long request, `service_unavailable` for a short one. */
  give(organizationId: string): void;
  /** When the response has ended; further calls do nothing. */
  leave(): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined where requests are not counted. */
    place?: RequestPlace;
  }
}

export interface RequestBounds {
  /** Throws `service_unavailable` at the bound. */
  begin(kind: RequestKind): RequestPlace;
}

export interface BoundReadings {
  random: () => number;
  nowMs: () => number;
}

export function createRequestBounds(
  most: number,
  { random, nowMs }: BoundReadings = { random: Math.random, nowMs: () => performance.now() },
): RequestBounds {
  const bound = { short: most, long: most };
  const least = Math.max(1, Math.floor(most * LEAST_SHARE));
  const inFlight = { short: 0, long: 0 };
  const shares = { short: createOrganizationShares(), long: createOrganizationShares() };
  const window = { ended: 0, slow: 0 };

  function noteShort(ms: number): void {
    window.ended += 1;
    if (ms > SLOW_MS) window.slow += 1;
    if (window.ended < WINDOW) return;
    const areMostSlow = window.slow * 2 > window.ended;
    bound.short = areMostSlow
      ? Math.max(least, Math.floor(bound.short * SHRINK))
      : Math.min(most, Math.ceil(bound.short * GROW));
    window.ended = 0;
    window.slow = 0;
  }

  function requireShare(kind: RequestKind, organizationId: string): void {
    if (kind === "short" && bound.short === most) return;
    if (shares[kind].mayTake(organizationId, bound[kind])) return;
    throw kind === "short" ? overloaded(random) : tooManyLong(shares.long.of(organizationId), random);
  }

  return {
    begin(kind) {
      if (inFlight[kind] >= bound[kind]) throw overloaded(random);
      inFlight[kind] += 1;
      const begunAt = nowMs();
      let isOpen = true;
      let owner: string | undefined;
      return {
        give(organizationId) {
          if (!isOpen || owner !== undefined) return;
          requireShare(kind, organizationId);
          owner = organizationId;
          shares[kind].take(organizationId);
        },
        leave() {
          if (!isOpen) return;
          isOpen = false;
          inFlight[kind] -= 1;
          if (owner !== undefined) shares[kind].leave(owner);
          if (kind === "short") noteShort(nowMs() - begunAt);
        },
      };
    },
  };
}

function overloaded(random: () => number): OverloadedError {
  return new OverloadedError("service_unavailable", "The service has as many requests as it can serve in time.", {
    retryAfterSeconds: retryAfterSeconds(random),
  });
}

function tooManyLong(count: number, random: () => number): ApiError {
  return new ApiError(
    "rate_limited",
    `The organization has ${plural(count, "long request")} under way in this process, and others need places, too: ` +
      "let some of its uploads, downloads, streams and waiting reads end.",
    { retryAfterSeconds: retryAfterSeconds(random) },
  );
}

function retryAfterSeconds(random: () => number): number {
  const [least, most] = RETRY_AFTER_SECONDS;
  return least + Math.floor(random() * (most - least + 1));
}

/** Undefined for what is not counted. A message of an agent is counted by the operations that it calls. */
export function kindOf(request: FastifyRequest): "short" | "long" | undefined {
  const { url } = request;
  if (!url.startsWith("/v1/")) return undefined;
  const at = url.indexOf("?");
  const isLong =
    request.routeOptions.config.streamsBody === true ||
    request.headers.accept?.includes("application/x-ndjson") === true ||
    (at !== -1 && url.includes("waitSeconds=", at)) ||
    url.endsWith("/test", at === -1 ? url.length : at);
  return isLong ? "long" : "short";
}
