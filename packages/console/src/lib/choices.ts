/** Datasets and job specs to choose from: the newest ones, and the one that an address names, however old it is. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Dataset, JobSpec } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { EXACT } from "./exact-numbers.ts";
import { visible } from "./format.ts";
import { useMay, useSession } from "./session.ts";
import { useSettled } from "./settled.ts";

/** As many as a list to choose from may have; others are found by how their name begins, or chosen from their own page. */
const MOST = 200;

export interface ChoiceOf<T> {
  /** Undefined until they are read, or where the key may not read them. */
  items: readonly T[] | undefined;
  /** There are others, which are not among the items. */
  isPart: boolean;
  error: unknown;
  tryAgain: () => void;
}

/** `named`: the id of one that is among them. `begin`: what the names of the others begin with. */
export function useDatasets(named?: string, begin = ""): ChoiceOf<Dataset> {
  const may = useMay("datasets:read");
  const name = useSettled(begin);
  const { data, error, refetch } = useQuery({
    queryKey: ["datasets", "choice", name],
    queryFn: async () => {
      const { data: all, nextCursor } = await rowmill.datasets.list({ limit: MOST, ...(name !== "" && { name }) });
      return { items: all.filter(({ state }) => state === "ready"), isPart: nextCursor !== null };
    },
    placeholderData: keepPreviousData,
    enabled: may,
  });
  const { data: other } = useQuery({
    queryKey: ["datasets", named],
    queryFn: () => rowmill.datasets.get(named ?? ""),
    enabled: may && isMissing(data?.items, named),
  });
  const items = withNamed(data?.items, other?.state === "ready" ? other : undefined);
  return { items, isPart: data?.isPart === true, error, tryAgain: () => void refetch() };
}

/** Undefined where there is nothing to choose: one key, or keys whose names may not be read. Those that are revoked have runs, too. */
export function useKeys(): { items: readonly { id: string; name: string }[]; isPart: boolean } | undefined {
  const { organizationId } = useSession();
  const may = useMay("api_keys:read");
  const { data } = useQuery({
    queryKey: ["api-keys", "choice"],
    queryFn: () => rowmill.organizations.apiKeys.list(organizationId ?? "", { limit: MOST }),
    enabled: may && organizationId !== null,
  });
  if (data === undefined || data.data.length < 2) return undefined;
  const items = data.data.map(({ id, name, revokedAt }) => ({
    id,
    name: `${visible(name)}${revokedAt === null ? "" : " (revoked)"}`,
  }));
  return { items, isPart: data.nextCursor !== null };
}

export function useJobSpecs(named?: string, begin = ""): ChoiceOf<JobSpec> {
  const may = useMay("job_specs:read");
  const name = useSettled(begin);
  const { data, error, refetch } = useQuery({
    queryKey: ["job-specs", "choice", name],
    queryFn: async () => {
      const { data: items, nextCursor } = await rowmill.jobSpecs.list({ limit: MOST, ...(name !== "" && { name }) });
      return { items, isPart: nextCursor !== null };
    },
    placeholderData: keepPreviousData,
    enabled: may,
  });
  const { data: other } = useQuery({
    queryKey: ["job-specs", named],
    queryFn: () => rowmill.jobSpecs.get(named ?? "", EXACT),
    enabled: may && isMissing(data?.items, named),
  });
  return { items: withNamed(data?.items, other), isPart: data?.isPart === true, error, tryAgain: () => void refetch() };
}

export const useDatasetChoice = (named?: string): readonly Dataset[] | undefined => useDatasets(named).items;
export const useJobSpecChoice = (named?: string): readonly JobSpec[] | undefined => useJobSpecs(named).items;

const isMissing = (choice: readonly { id: string }[] | undefined, id: string | undefined): boolean =>
  id !== undefined && id !== "" && choice !== undefined && choice.every((item) => item.id !== id);

const withNamed = <T extends { id: string }>(
  choice: readonly T[] | undefined,
  named: T | undefined,
): readonly T[] | undefined =>
  named === undefined || choice === undefined || choice.some(({ id }) => id === named.id) ? choice : [named, ...choice];
