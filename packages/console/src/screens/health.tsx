/** For the operator: whether the service is well, and what waits. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ServiceHealth } from "@rowmill/client";
import { CircleCheck, CircleX } from "lucide-react";
import { readRequest } from "../lib/request.ts";
import { ListStatus } from "../components/loading.tsx";
import { Page, Section } from "../components/page.tsx";
import { State } from "../components/state.tsx";
import { Table } from "../components/table.tsx";
import { rowmill } from "../lib/client.ts";
import { count, duration, plural } from "../lib/format.ts";

const POLL_MS = 5_000;
const NAMES: Record<ServiceHealth["checks"][number]["name"], string> = {
  database: "Database",
  store: "File store",
  disk: "Free space",
  encryption_key: "Encryption key",
  egress: "Calls to the outside",
};
/** A worker passes events on within a second: more than this means that none does. */
const LATE_SECONDS = 60;

export function Health() {
  const { data, error, refetch } = useQuery({
    queryKey: ["health"],
    queryFn: () => rowmill.serviceHealth(),
    refetchInterval: POLL_MS,
  });
  return (
    <Page
      title="Health"
      tabTitle="Health"
      request={readRequest("v1/service/health", "serviceHealth", { isOne: true })}
      lead="This process, and what waits for all processes of the service. Metrics for a dashboard are at /metrics."
    >
      <ListStatus list={{ isLoading: data === undefined, error, tryAgain: () => void refetch() }} />
      {data !== undefined && (
        <>
          <Checks checks={data.checks} />
          <Counts health={data} />
          <div className="grid items-start gap-5 md:grid-cols-2">
            <RunsByState runs={data.runs} />
            <JobsByQueue jobs={data.jobs} />
          </div>
        </>
      )}
      <p className="sr-only" role="status">
        {data !== undefined &&
          (data.isHealthy
            ? "The service is well."
            : `${plural(data.checks.filter(({ ok }) => !ok).length, "check")} failed.`)}
      </p>
    </Page>
  );
}

function Checks({ checks }: { checks: ServiceHealth["checks"] }) {
  return (
    <ul className="grid gap-3 md:grid-cols-3">
      {checks.map(({ name, ok, message, durationMs }) => {
        const Icon = ok ? CircleCheck : CircleX;
        return (
          <li key={name} className="card flex flex-col gap-1 px-5 py-4">
            <p className={`flex items-center gap-2 font-semibold ${ok ? "" : "text-bad"}`}>
              <Icon aria-hidden size={16} className={ok ? "text-good" : ""} />
              {NAMES[name]}
              <span className="sr-only">{ok ? "is well" : "is not well"}</span>
            </p>
            <p className="text-soft [overflow-wrap:anywhere]">{message}</p>
            <p className="text-xs text-soft">{durationMs === 0 ? "under 1 ms" : duration(durationMs / 1000)}</p>
          </li>
        );
      })}
    </ul>
  );
}

function Counts({ health: data }: { health: ServiceHealth }) {
  return (
    <dl className="card grid grid-cols-2 gap-x-8 gap-y-3 px-5 py-4 sm:grid-cols-4">
      <div>
        <dt className="text-xs text-soft">Organizations</dt>
        <dd className="text-xl font-semibold tabular-nums">
          <Link to="/organizations" className="hover:underline">
            {count(data.organizations)}
          </Link>
        </dd>
      </div>
      <Count name="Runs in progress" value={data.runs.reduce((sum, run) => sum + run.count, 0)} />
      <Count name="Deliveries that wait" value={data.pendingWebhookDeliveries} />
      <div>
        <dt className="text-xs text-soft">Oldest event not passed on</dt>
        <dd
          className={`text-xl font-semibold tabular-nums ${(data.oldestEventSeconds ?? 0) > LATE_SECONDS ? "text-bad" : ""}`}
        >
          {data.oldestEventSeconds === null || data.oldestEventSeconds === 0
            ? "none"
            : duration(data.oldestEventSeconds)}
        </dd>
      </div>
    </dl>
  );
}

function RunsByState({ runs }: { runs: ServiceHealth["runs"] }) {
  return (
    <Section title="Runs">
      {runs.length === 0 ? (
        <p className="text-soft">None is in progress.</p>
      ) : (
        <Table
          label="Runs by state"
          items={runs}
          keyOf={({ state }) => state}
          columns={[
            { id: "state", head: "State", cell: ({ state }) => <State state={state} /> },
            { id: "count", head: "Runs", align: "right", cell: (run) => count(run.count) },
          ]}
        />
      )}
    </Section>
  );
}

function JobsByQueue({ jobs }: { jobs: ServiceHealth["jobs"] }) {
  return (
    <Section title="Queues">
      {jobs.length === 0 ? (
        <p className="text-soft">Nothing waits.</p>
      ) : (
        <Table
          label="Jobs by queue"
          items={jobs}
          keyOf={({ queue }) => queue}
          columns={[
            {
              id: "queue",
              head: "Queue",
              cell: ({ queue }) => <code className="font-mono text-xs">{queue}</code>,
            },
            { id: "count", head: "Jobs", align: "right", cell: (job) => count(job.count) },
          ]}
        />
      )}
    </Section>
  );
}

function Count({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{count(value)}</dd>
    </div>
  );
}
