/** What needs somebody: why rows failed lately, and receivers that get nothing. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { FailureGroup, Run, WebhookEndpoint } from "@rowmill/client";
import { ButtonLink } from "../components/button.tsx";
import { Section } from "../components/page.tsx";
import { State } from "../components/state.tsx";
import { Time } from "../components/time.tsx";
import { rowmill } from "../lib/client.ts";
import { plural, visible, words } from "../lib/format.ts";
import { pollEvery } from "../lib/live/live.ts";
import { titleOf } from "../lib/names.ts";
import { useMay } from "../lib/session.ts";
import { durationSince, stateOf, troubleOf } from "../lib/webhooks.ts";

const POLL_MS = 15_000;
/** Runs that are looked into, and causes of each. */
const RUNS = 4;
const CAUSES = 2;

export function NewestFailures({ runs, nameOf }: { runs: readonly Run[]; nameOf: (id: string) => string | undefined }) {
  const may = useMay("results:read");
  const failed = runs.filter(({ rows }) => rows.failed > 0).slice(0, RUNS);
  const groups = useQueries({
    queries: failed.map(({ id, rows }) => ({
      queryKey: ["runs", id, "failure-groups", "home", rows.failed],
      queryFn: async () => (await rowmill.runs.failureGroups(id, { limit: CAUSES })).data,
      enabled: may,
    })),
  });
  const found = failed.flatMap((run, i) => (groups[i]?.data ?? []).map((group) => ({ run, group })));
  if (found.length === 0) return null;
  return (
    <Section title="Why rows failed lately">
      <ul className="card divide-y divide-line">
        {found.map(({ run, group }) => (
          <Cause
            key={`${run.id} ${group.code} ${group.path ?? ""}`}
            run={run}
            group={group}
            title={titleOf(run, nameOf)}
          />
        ))}
      </ul>
    </Section>
  );
}

function Cause({ run, group, title }: { run: Run; group: FailureGroup; title: string }) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised/60">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/runs/$runId/failures"
          params={{ runId: run.id }}
          search={{ code: group.code }}
          className="font-medium hover:underline"
        >
          {words(group.code)}
        </Link>
        <p className="truncate text-soft" title={group.sample.message}>
          {visible(group.sample.message)}
        </p>
      </div>
      <p className="text-xs text-soft">
        <span className="text-bad">{plural(group.count, "row")}</span> of <bdi>{title}</bdi>,{" "}
        <Time at={group.sample.failedAt} />
      </p>
    </li>
  );
}

export function FailingEndpoints() {
  const may = useMay("webhooks:read");
  const { data = [] } = useQuery({
    queryKey: ["webhook-endpoints", "home"],
    queryFn: async () => (await rowmill.webhookEndpoints.list({ limit: 200 })).data,
    refetchInterval: () => pollEvery(POLL_MS),
    enabled: may,
  });
  // What somebody has disabled is as they want it.
  const failing = data.filter((endpoint) => stateOf(endpoint) !== "enabled" && endpoint.disabledReason !== "by_user");
  if (failing.length === 0) return null;
  return (
    <Section
      title="Webhooks that do not arrive"
      actions={
        <ButtonLink look="quiet" className="-mr-3" to="/webhooks">
          All endpoints
        </ButtonLink>
      }
    >
      <ul className="card divide-y divide-line">
        {failing.map((endpoint) => (
          <Endpoint key={endpoint.id} endpoint={endpoint} />
        ))}
      </ul>
    </Section>
  );
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised/60">
      <Link
        to="/webhooks/$webhookEndpointId"
        params={{ webhookEndpointId: endpoint.id }}
        className="min-w-0 font-mono text-xs font-medium [overflow-wrap:anywhere] hover:underline"
      >
        {endpoint.url}
      </Link>
      <span className="flex flex-wrap items-center gap-x-3 text-xs text-soft">
        {troubleOf(endpoint) ?? (endpoint.failingSince === null ? "" : `for ${durationSince(endpoint.failingSince)}`)}
        <State state={stateOf(endpoint)} />
      </span>
    </li>
  );
}
