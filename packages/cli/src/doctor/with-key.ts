/** What the service shows to a key only: its version, the key, the limits of the organization, its connections. */
import { RowmillApiError } from "@rowmill/client";
import type { Organization, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { clientOf } from "../frame/client.ts";
import type { Target } from "../frame/client.ts";
import { count, plural } from "../frame/numbers.ts";
import { problemOf } from "./finding.ts";
import type { Finding } from "./finding.ts";

type Findings = AsyncGenerator<Finding, void, void>;

type Me = Awaited<ReturnType<Rowmill["me"]>>;

/** What is used of a limit when a person should know of it. */
const NEAR_PART = 0.9;

export async function* checkWithKey(cli: Cli, target: Target, areConnectionsTested: boolean): Findings {
  const rowmill = await clientOf(target);
  let me: Me;
  try {
    me = await rowmill.me({ signal: cli.signal });
  } catch (error) {
    return yield problemOf("key", error);
  }
  yield keyFinding(me);
  yield* checked("versions", checkVersion(cli, rowmill));
  if (me.kind === "admin") return yield* checked("health", checkHealth(cli, rowmill));
  if (me.organizationId !== null) yield* checked("limits", checkLimits(cli, rowmill, me.organizationId));
  if (areConnectionsTested) yield* checked("connections", checkConnections(cli, rowmill));
}

const keyFinding = (me: Me): Finding =>
  me.kind === "admin"
    ? {
        level: "warning",
        subject: "key",
        message: "is the admin key",
        advice: "Use a key of an organization for data.",
      }
    : {
        level: "ok",
        subject: "key",
        message: `of ${me.organizationId ?? "?"}, with ${plural(me.scopes.length, "scope")}`,
      };

/** One check that fails does not end the others. */
async function* checked(subject: string, findings: Findings): Findings {
  try {
    yield* findings;
  } catch (error) {
    const isMissing = error instanceof RowmillApiError && (error.status === 404 || error.code === "insufficient_scope");
    yield isMissing ? { level: "note", subject, message: error.message } : problemOf(subject, error);
  }
}

async function* checkVersion(cli: Cli, rowmill: Rowmill): Findings {
  const { version } = await rowmill.serviceInfo({ signal: cli.signal });
  if (version === cli.version)
    return yield { level: "ok", subject: "versions", message: `command and service are ${version}` };
  yield {
    level: "warning",
    subject: "versions",
    message: `the service is of version ${version}, and this command of ${cli.version}`,
    advice: "Update the older one where something does not work as it is described.",
  };
}

/** Of the whole installation. */
async function* checkHealth(cli: Cli, rowmill: Rowmill): Findings {
  const { checks } = await rowmill.serviceHealth({ signal: cli.signal });
  for (const { name, ok, message } of checks)
    yield ok
      ? { level: "ok", subject: name.replaceAll("_", " "), message }
      : {
          level: name === "egress" ? "warning" : "problem",
          subject: name.replaceAll("_", " "),
          message,
          advice: "The service's log says why.",
        };
}

/** Requests are counted by the minute, and those of a run are refused at its creation. */
const COUNTED = ["storageBytes", "runsInProgress", "webhookEndpoints", "apiKeys"] as const;
const names: Record<(typeof COUNTED)[number], string> = {
  storageBytes: "bytes are stored",
  runsInProgress: "runs are in progress",
  webhookEndpoints: "webhook endpoints exist",
  apiKeys: "keys exist",
};

async function* checkLimits(cli: Cli, rowmill: Rowmill, organizationId: string): Findings {
  const organization = await rowmill.organizations.get(organizationId, { signal: cli.signal });
  const near = nearLimits(organization);
  if (near.length === 0) return yield { level: "ok", subject: "limits", message: "none is near" };
  yield* near;
}

export const nearLimits = ({ limits, usage }: Pick<Organization, "limits" | "usage">): Finding[] =>
  COUNTED.flatMap((name) => {
    const limit = limits[name] ?? null;
    const used = usage[name];
    if (limit === null || used === 0 || used < limit * NEAR_PART) return [];
    return [
      {
        level: used >= limit ? "problem" : "warning",
        subject: "limits",
        message: `${count(used)} of ${count(limit)} ${names[name]}`,
        advice: "Delete what is not needed, or ask the operator for a higher limit.",
      },
    ];
  });

async function* checkConnections(cli: Cli, rowmill: Rowmill): Findings {
  const { signal } = cli;
  for await (const { id, name } of rowmill.connections.list(undefined, { signal })) {
    const tested = await rowmill.connections.test(id, { signal });
    yield tested.ok
      ? { level: "ok", subject: `connection ${name}`, message: "responds" }
      : {
          level: "problem",
          subject: `connection ${name}`,
          message: tested.message ?? "does not respond",
          advice: "Correct its address or its key, with `rowmill connect`, `rowmill apply` or in the console.",
        };
  }
}
