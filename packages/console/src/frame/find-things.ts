/** Things by how their names begin, and by id. */
import { Activity, BellRing, Database, FileCog, Webhook } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { Session } from "@rowmill/client";
import { ago } from "../lib/format.ts";
import { rowmill } from "../lib/client.ts";

export interface Thing {
  id: string;
  label: string;
  note: string;
  icon: LucideIcon;
  href: string;
}

const SHOWN = 5;

export async function findThings(name: string, { scopes }: Session): Promise<Thing[]> {
  const query = { name, limit: SHOWN };
  const [runs, datasets, specs] = await Promise.all([
    scopes.includes("runs:read") ? rowmill.runs.list(query).then(({ data }) => data) : [],
    scopes.includes("datasets:read") ? rowmill.datasets.list(query).then(({ data }) => data) : [],
    scopes.includes("job_specs:read") ? rowmill.jobSpecs.list(query).then(({ data }) => data) : [],
  ]);
  return [
    ...runs.map((run) => thing(run.id, run.name ?? run.id, `Run, ${ago(run.createdAt)}`, Activity, `/runs/${run.id}`)),
    ...datasets.map(({ id, name, createdAt }) =>
      thing(id, name, `Dataset, ${ago(createdAt)}`, Database, `/datasets/${id}`),
    ),
    ...specs.map(({ id, name, createdAt }) =>
      thing(id, name, `Job spec, ${ago(createdAt)}`, FileCog, `/job-specs/${id}`),
    ),
  ];
}

/** An id that was copied from a log or a program leads to its thing. */
export function placeOfId(text: string): Thing[] {
  const id = text.trim();
  const [, prefix] = /^(run|ds|spec|whe|alr)_[0-9a-z]{26}$/.exec(id) ?? [];
  if (prefix === "run") return [thing(id, id, "Run", Activity, `/runs/${id}`)];
  if (prefix === "ds") return [thing(id, id, "Dataset", Database, `/datasets/${id}`)];
  if (prefix === "spec") return [thing(id, id, "Job spec", FileCog, `/job-specs/${id}`)];
  if (prefix === "whe") return [thing(id, id, "Webhook endpoint", Webhook, `/webhooks/${id}`)];
  if (prefix === "alr") return [thing(id, id, "Alert rule", BellRing, `/alerts/${id}`)];
  return [];
}

const thing = (id: string, label: string, note: string, icon: LucideIcon, href: string): Thing => ({
  id,
  label,
  note,
  icon,
  href,
});
