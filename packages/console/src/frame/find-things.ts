/** Things by their names, and by id. */
import { Activity, BellRing, Database, FileCog, Plug, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { Dataset, JobSpec, Run, Session } from "@rowmill/client";
import { queries, rowmill } from "../lib/client.ts";
import { ago, visible } from "../lib/format.ts";
import { titleOf } from "../lib/names.ts";

export interface Thing {
  id: string;
  label: string;
  note: string;
  icon: LucideIcon;
  href: string;
  /** What a run without a name is called. The names may arrive after the run. */
  titled?: (nameOf: NameOf) => string;
}

const SHOWN = 5;
/** Connections, endpoints and rules of an organization are few: they are read once, and searched here. */
const MOST = 1_000;
const STALE_MS = 30_000;

type NameOf = (id: string) => string | undefined;

export async function findThings(name: string, { scopes }: Session): Promise<Thing[]> {
  const query = { name, limit: SHOWN };
  const may = (resource: "runs" | "datasets" | "job_specs" | "connections" | "webhooks" | "alerts"): boolean =>
    scopes.includes(`${resource}:read`);
  const few = <T>(key: string, read: () => PromiseLike<{ data: readonly T[] }>): Promise<readonly T[]> =>
    queries.query({
      queryKey: ["palette", "few", key],
      queryFn: async () => (await read()).data,
      staleTime: STALE_MS,
    });
  const [datasets, specs, connections, endpoints, rules] = await Promise.all([
    may("datasets") ? rowmill.datasets.list(query).then(({ data }) => data) : [],
    may("job_specs") ? rowmill.jobSpecs.list(query).then(({ data }) => data) : [],
    may("connections") ? few("connections", () => rowmill.connections.list({ limit: MOST })) : [],
    may("webhooks") ? few("webhooks", () => rowmill.webhookEndpoints.list({ limit: MOST })) : [],
    may("alerts") ? few("alerts", () => rowmill.alertRules.list({ limit: MOST })) : [],
  ]);
  const runs = may("runs") ? await findRuns(name, datasets, specs) : [];
  const own = new Map([...datasets, ...specs].map((named) => [named.id, named.name]));
  return [
    ...runs.map((run) => ({
      ...thing(run.id, run.id, `Run, ${ago(run.createdAt)}`, Activity, `/runs/${run.id}`),
      titled: (nameOf: NameOf) => titleOf(run, (id) => own.get(id) ?? nameOf(id)),
    })),
    ...datasets.map(({ id, name, createdAt }) =>
      thing(id, visible(name), `Dataset, ${ago(createdAt)}`, Database, `/datasets/${id}`),
    ),
    ...specs.map(({ id, name, createdAt }) =>
      thing(id, visible(name), `Job spec, ${ago(createdAt)}`, FileCog, `/job-specs/${id}`),
    ),
    ...matching(connections, name, (found) => [found.name, found.baseUrl]).map((found) =>
      thing(found.id, visible(found.name), "Connection", Plug, `/connections#${found.id}`),
    ),
    ...matching(endpoints, name, ({ description, url }) => [description ?? "", url]).map(({ id, description, url }) =>
      thing(id, visible(description || url), "Webhook endpoint", Webhook, `/webhooks/${id}`),
    ),
    ...matching(rules, name, (rule) => [rule.name]).map((rule) =>
      thing(rule.id, visible(rule.name), "Alert rule", BellRing, `/alerts/${rule.id}`),
    ),
  ];
}

/** Where one of its names or its id has the text. */
function matching<T extends { id: string }>(items: readonly T[], text: string, namesOf: (item: T) => string[]): T[] {
  const wanted = text.toLowerCase();
  return items
    .filter((item) => item.id.startsWith(wanted) || namesOf(item).some((name) => name.toLowerCase().includes(wanted)))
    .slice(0, SHOWN);
}

/** Runs by their own name, by those of their dataset and job spec, and by how their id begins. */
async function findRuns(name: string, datasets: readonly Dataset[], specs: readonly JobSpec[]): Promise<Run[]> {
  const span = spanOfId(name);
  const found = await Promise.all([
    span === undefined
      ? rowmill.runs.list({ name, limit: SHOWN })
      : rowmill.runs
          .list({ ...span, limit: MOST })
          .then(({ data }) => ({ data: data.filter(({ id }) => id.startsWith(name)) })),
    ...datasets.slice(0, 2).map(({ id }) => rowmill.runs.list({ datasetId: id, limit: SHOWN })),
    ...specs.slice(0, 2).map(({ id }) => rowmill.runs.list({ jobSpecId: id, limit: SHOWN })),
  ]);
  return [...new Map(found.flatMap(({ data }) => data).map((run) => [run.id, run])).values()].slice(0, SHOWN);
}

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
/** Of a shorter beginning, too many runs may have it: this one leaves nine hours. */
const LEAST_CHARACTERS = 5;
/** The id is made before the run is written. */
const MARGIN_MS = 60_000;

/** An id begins with the milliseconds of its making, in ten characters: when a run was made whose id begins with the text. */
function spanOfId(text: string): { createdAfter: string; createdBefore: string } | undefined {
  const [, begin] = /^run_([0-7][0-9a-hjkmnp-tv-z]{4,24})$/.exec(text) ?? [];
  if (begin === undefined || begin.length < LEAST_CHARACTERS) return undefined;
  const msOf = (characters: string): number =>
    Array.from(characters.slice(0, 10)).reduce((ms, character) => ms * 32 + BASE32.indexOf(character), 0);
  return {
    createdAfter: new Date(msOf(begin.padEnd(10, "0")) - MARGIN_MS).toISOString(),
    createdBefore: new Date(msOf(begin.padEnd(10, "z")) + MARGIN_MS).toISOString(),
  };
}

/** An id that was copied from a log or a program leads to its thing. */
export function placeOfId(text: string): Thing[] {
  const id = text.trim();
  const [, prefix] = /^(run|ds|spec|whe|alr|conn)_[0-9a-z]{26}$/.exec(id) ?? [];
  if (prefix === "run") return [thing(id, id, "Run", Activity, `/runs/${id}`)];
  if (prefix === "ds") return [thing(id, id, "Dataset", Database, `/datasets/${id}`)];
  if (prefix === "spec") return [thing(id, id, "Job spec", FileCog, `/job-specs/${id}`)];
  if (prefix === "whe") return [thing(id, id, "Webhook endpoint", Webhook, `/webhooks/${id}`)];
  if (prefix === "alr") return [thing(id, id, "Alert rule", BellRing, `/alerts/${id}`)];
  if (prefix === "conn") return [thing(id, id, "Connection", Plug, `/connections#${id}`)];
  return [];
}

const thing = (id: string, label: string, note: string, icon: LucideIcon, href: string): Thing => ({
  id,
  label,
  note,
  icon,
  href,
});
