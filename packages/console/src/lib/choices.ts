/** Datasets and job specs to choose from: the newest ones, and the one that an address names, however old it is. */
import { useQuery } from "@tanstack/react-query";
import type { Dataset, JobSpec } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { useMay } from "./session.ts";

/** As many as a list to choose from may have; others are chosen from their own page. */
const MOST = 200;

/** Undefined until they are read, or where the key may not read them. */
export function useDatasetChoice(named?: string): readonly Dataset[] | undefined {
  const may = useMay("datasets:read");
  const { data } = useQuery({
    queryKey: ["datasets", "choice"],
    queryFn: async () => (await rowmill.datasets.list({ limit: MOST })).data.filter(({ state }) => state === "ready"),
    enabled: may,
  });
  const { data: other } = useQuery({
    queryKey: ["datasets", named],
    queryFn: () => rowmill.datasets.get(named ?? ""),
    enabled: may && isMissing(data, named),
  });
  return withNamed(data, other?.state === "ready" ? other : undefined);
}

export function useJobSpecChoice(named?: string): readonly JobSpec[] | undefined {
  const may = useMay("job_specs:read");
  const { data } = useQuery({
    queryKey: ["job-specs", "choice"],
    queryFn: async () => (await rowmill.jobSpecs.list({ limit: MOST })).data,
    enabled: may,
  });
  const { data: other } = useQuery({
    queryKey: ["job-specs", named],
    queryFn: () => rowmill.jobSpecs.get(named ?? ""),
    enabled: may && isMissing(data, named),
  });
  return withNamed(data, other);
}

const isMissing = (choice: readonly { id: string }[] | undefined, id: string | undefined): boolean =>
  id !== undefined && id !== "" && choice !== undefined && choice.every((item) => item.id !== id);

const withNamed = <T extends { id: string }>(
  choice: readonly T[] | undefined,
  named: T | undefined,
): readonly T[] | undefined =>
  named === undefined || choice === undefined || choice.some(({ id }) => id === named.id) ? choice : [named, ...choice];
