/** Names of datasets and job specs, for things that carry their ids. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Run } from "@rowmill/client";
import { queries, rowmill } from "./client.ts";
import { EXACT } from "./exact-numbers.ts";
import { visible } from "./format.ts";
import { useMay } from "./session.ts";

const STALE_MS = 30_000;
/** The newest ones. */
const MOST = 200;

/** Of things that are not among the newest, or were made since those were read: what lists of runs show of them is read one by one. */
const MOST_BY_ID = 300;
const askedById = new Set<string>();
const byId = queryOptions({
  queryKey: ["names-by-id"],
  queryFn: () => new Map<string, string>(),
  initialData: new Map<string, string>(),
  staleTime: Infinity,
  gcTime: Infinity,
});

async function readName(id: string): Promise<void> {
  if (askedById.has(id) || askedById.size >= MOST_BY_ID) return;
  askedById.add(id);
  try {
    const { name } = await (id.startsWith("ds_") ? rowmill.datasets.get(id) : rowmill.jobSpecs.get(id));
    queries.setQueryData(byId.queryKey, (before) => new Map(before).set(id, name));
  } catch {
    // It is deleted, or the service is away: it is shown by its id.
  }
}

const datasetNames = queryOptions({
  queryKey: ["names", "datasets"],
  queryFn: async () => (await rowmill.datasets.list({ limit: MOST })).data.map(({ id, name }) => [id, name] as const),
  staleTime: STALE_MS,
});
const specNames = queryOptions({
  queryKey: ["names", "specs"],
  queryFn: async () => (await rowmill.jobSpecs.list({ limit: MOST })).data.map(({ id, name }) => [id, name] as const),
  staleTime: STALE_MS,
});

export function useNames(): (id: string) => string | undefined {
  const mayDatasets = useMay("datasets:read");
  const maySpecs = useMay("job_specs:read");
  const { data: datasets } = useQuery({ ...datasetNames, enabled: mayDatasets });
  const { data: specs } = useQuery({ ...specNames, enabled: maySpecs });
  const { data: others } = useQuery({ ...byId, enabled: false });
  const names = new Map([...others, ...(datasets ?? []), ...(specs ?? [])].map(([id, name]) => [id, visible(name)]));
  const unknown = new Set<string>();
  useEffect(() => {
    const isRead = (id: string): boolean => (id.startsWith("ds_") ? datasets : specs) !== undefined;
    for (const id of unknown) if (isRead(id)) void readName(id);
  });
  return (id) => {
    const name = names.get(id);
    if (name === undefined && /^(ds|spec)_/.test(id)) unknown.add(id);
    return name;
  };
}

/** The names of what one run is of, however old that is. Until they are read, there is nothing to show: an id is no name. */
export function useNamesOf(run: Pick<Run, "jobSpecId" | "datasetId">): {
  nameOf: (id: string) => string | undefined;
  isReading: boolean;
} {
  const nameOf = useNames();
  const mayDatasets = useMay("datasets:read");
  const maySpecs = useMay("job_specs:read");
  const datasets = useQuery({ ...datasetNames, enabled: mayDatasets });
  const specs = useQuery({ ...specNames, enabled: maySpecs });
  const dataset = useQuery({
    queryKey: ["datasets", run.datasetId],
    queryFn: () => rowmill.datasets.get(run.datasetId),
    enabled: mayDatasets && !datasets.isLoading && nameOf(run.datasetId) === undefined,
  });
  const spec = useQuery({
    queryKey: ["job-specs", run.jobSpecId],
    queryFn: () => rowmill.jobSpecs.get(run.jobSpecId, EXACT),
    enabled: maySpecs && !specs.isLoading && nameOf(run.jobSpecId) === undefined,
  });
  const found = new Map([dataset.data, spec.data].flatMap((one) => (one === undefined ? [] : [[one.id, one.name]])));
  return {
    nameOf: (id) => {
      const name = nameOf(id) ?? found.get(id);
      return name === undefined ? undefined : visible(name);
    },
    isReading: datasets.isLoading || specs.isLoading || dataset.isLoading || spec.isLoading,
  };
}

export const shortId = (id: string): string => `${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-6)}`;

export function titleOf(
  run: Pick<Run, "name" | "jobSpecId" | "datasetId">,
  nameOf: (id: string) => string | undefined,
): string {
  if (run.name !== null) return visible(run.name);
  return `${nameOf(run.jobSpecId) ?? shortId(run.jobSpecId)} on ${nameOf(run.datasetId) ?? shortId(run.datasetId)}`;
}
