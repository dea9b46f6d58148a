/** Names of members and keys, and who has started a run, for things that carry their ids: as they can be shown within a sentence. */
import { useQuery } from "@tanstack/react-query";
import type { ApiKey, Run } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { visible } from "./format.ts";
import { shortId } from "./names.ts";
import { useMay, useSession } from "./session.ts";

const STALE_MS = 30_000;
/** As many keys as an organization has; revoked ones stay listed, and of those the newest are enough. */
const MOST = 1000;

type NameOf = (id: string) => string | undefined;

export function usePeople(): NameOf {
  const { organizationId, kind } = useSession();
  const mayMembers = useMay("invitations:read");
  const keyNameOf = useKeyNames();
  const id = organizationId ?? "";
  const { data: members } = useQuery({
    queryKey: ["names", "members"],
    queryFn: async () => (await rowmill.organizations.members.list(id, { limit: MOST })).data,
    staleTime: STALE_MS,
    enabled: mayMembers && kind === "organization",
  });
  const names = new Map(members?.map(({ id: ofOne, name }) => [ofOne, visible(name)]));
  return (ofOne) => names.get(ofOne) ?? keyNameOf(ofOne);
}

/** Nothing is asked for where nothing of it is shown. */
function useKeyNames(isShown = true): NameOf {
  const { organizationId, kind } = useSession();
  const mayKeys = useMay("api_keys:read");
  const { data: keys } = useQuery({
    queryKey: ["names", "keys"],
    queryFn: async () => (await rowmill.organizations.apiKeys.list(organizationId ?? "", { limit: MOST })).data,
    staleTime: STALE_MS,
    enabled: isShown && mayKeys && kind === "organization",
  });
  const names = new Map(keys?.map(({ id, name }) => [id, visible(name)]));
  return (id) => names.get(id);
}

type Starter = Pick<Run, "apiKeyId">;

/** `hasSeveral`: the runs are of more than one key. */
export function useStarters(
  runs: readonly Starter[],
  isChosen = false,
): { hasSeveral: boolean; starterOf: (run: Starter) => string } {
  const { apiKeyId: own } = useSession();
  const hasSeveral = new Set(runs.map(({ apiKeyId }) => apiKeyId)).size > 1;
  const nameOf = useKeyNames(hasSeveral || isChosen);
  return { hasSeveral, starterOf: ({ apiKeyId }) => describeStarter(apiKeyId, nameOf(apiKeyId ?? ""), own) };
}

/** Of one run, however old its key is. */
export function useStarter({ apiKeyId }: Starter): { key: ApiKey | undefined; text: string; isReading: boolean } {
  const { organizationId, apiKeyId: own } = useSession();
  const mayKeys = useMay("api_keys:read");
  const { data: key, isLoading } = useQuery({
    queryKey: ["api-keys", apiKeyId],
    queryFn: () => rowmill.organizations.apiKeys.get(organizationId ?? "", apiKeyId ?? ""),
    staleTime: STALE_MS,
    enabled: mayKeys && apiKeyId !== null,
  });
  const name = key === undefined ? undefined : visible(key.name);
  return { key, text: describeStarter(apiKeyId, name, own), isReading: isLoading };
}

/** A key whose name may not be read is distinguished by its id. */
function describeStarter(apiKeyId: string | null, name: string | undefined, own: string | null): string {
  if (apiKeyId === null) return "–";
  return name ?? (apiKeyId === own ? "this session" : shortId(apiKeyId));
}
