/** Names of datasets and job specs, for things that carry their ids. */
import { useQuery } from "@tanstack/react-query";
import type { Run } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { visible } from "./format.ts";
import { useMay } from "./session.ts";

const STALE_MS = 30_000;
/** The newest ones: what is older is fetched by its id where one thing is shown. */
const MOST = 200;

export function useNames(): (id: string) => string | undefined {
  const mayDatasets = useMay("datasets:read");
  const maySpecs = useMay("job_specs:read");
  const { data: datasets } = useQuery({
    queryKey: ["names", "datasets"],
    queryFn: async () => (await rowmill.datasets.list({ limit: MOST })).data.map(({ id, name }) => [id, name] as const),
    staleTime: STALE_MS,
    enabled: mayDatasets,
  });
  const { data: specs } = useQuery({
    queryKey: ["names", "specs"],
    queryFn: async () => (await rowmill.jobSpecs.list({ limit: MOST })).data.map(({ id, name }) => [id, name] as const),
    staleTime: STALE_MS,
    enabled: maySpecs,
  });
  const names = new Map([...(datasets ?? []), ...(specs ?? [])].map(([id, name]) => [id, visible(name)]));
  return (id) => names.get(id);
}

export const shortId = (id: string): string => `${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-6)}`;

export function titleOf(
  run: Pick<Run, "name" | "jobSpecId" | "datasetId">,
  nameOf: (id: string) => string | undefined,
): string {
  if (run.name !== null) return visible(run.name);
  return `${nameOf(run.jobSpecId) ?? shortId(run.jobSpecId)} on ${nameOf(run.datasetId) ?? shortId(run.datasetId)}`;
}
