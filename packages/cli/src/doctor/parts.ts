/** What the service reports of its parts at `/readyz`, in words. */
import type { Finding } from "./finding.ts";

/** Members that a service of an earlier version does not have are absent. */
export interface Readiness {
  store?: unknown;
  disk?: unknown;
  encryptionKey?: unknown;
  egress?: unknown;
}

type Wrong = Omit<Finding, "subject">;
interface Part {
  member: keyof Readiness;
  subject: string;
  /** By the value of the member. */
  well: Readonly<Record<string, string>>;
  wrong: Readonly<Record<string, Wrong>>;
}

const parts: readonly Part[] = [
  {
    member: "store",
    subject: "store",
    well: { available: "keeps uploads and exports" },
    wrong: {
      unavailable: {
        level: "problem",
        message: "cannot be used: uploads and downloads fail",
        advice: "The service's log says why: look at ROWMILL_STORAGE_URL, the keys, their rights and the network.",
      },
    },
  },
  {
    member: "disk",
    subject: "disk of the service",
    well: { sufficient: "has room" },
    wrong: {
      low: {
        level: "problem",
        message: "is nearly full: nothing new is written",
        advice: "Free some space where the service keeps its data, or delete runs, datasets and exports.",
      },
      unknown: {
        level: "problem",
        message: "cannot be read: the data directory is gone",
        advice: "Put back what ROWMILL_DATA_DIR names, and restart the service.",
      },
    },
  },
  {
    member: "encryptionKey",
    subject: "encryption key",
    well: { available: "opens what is sealed" },
    wrong: {
      unavailable: {
        level: "problem",
        message: "is not in its place, or another process seals with one that this process does not have",
        advice:
          "Put it back before the next start, from a backup: without it keys of connections and signing secrets are lost. The service's log says which one.",
      },
    },
  },
  {
    member: "egress",
    subject: "egress",
    well: { available: "calls to other machines can leave" },
    wrong: {
      // Models and receivers of the same machine or network may be all that is used.
      unavailable: {
        level: "warning",
        message: "calls to other machines fail: no name server responds, or the proxy takes no connection",
        advice: "Look at the network of the service, ROWMILL_EGRESS_NAME_SERVERS and ROWMILL_EGRESS_PROXY.",
      },
      unknown: {
        level: "warning",
        message: "the name servers or the proxy do not respond in time",
        advice: "Look at the network of the service, ROWMILL_EGRESS_NAME_SERVERS and ROWMILL_EGRESS_PROXY.",
      },
    },
  },
];

/** The database has responded, or there would be no such report. */
export function partFindings(readiness: Readiness): Finding[] {
  const others = parts.flatMap(({ member, subject, well, wrong }): Finding[] => {
    const value = String(readiness[member]);
    const found = wrong[value];
    if (found !== undefined) return [{ subject, ...found }];
    const message = well[value];
    return message === undefined ? [] : [{ level: "ok", subject, message }];
  });
  return [{ level: "ok", subject: "database", message: "responds" }, ...others];
}
