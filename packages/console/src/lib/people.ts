/** Names of members and keys, for things that carry their ids: as they can be shown within a sentence. */
import { useQuery } from "@tanstack/react-query";
import { rowmill } from "./client.ts";
import { visible } from "./format.ts";
import { useMay, useSession } from "./session.ts";

const STALE_MS = 30_000;
/** As many keys as an organization has; revoked ones stay listed, and of those the newest are enough. */
const MOST = 1000;

export function usePeople(): (id: string) => string | undefined {
  const { organizationId, kind } = useSession();
  const mayMembers = useMay("invitations:read");
  const mayKeys = useMay("api_keys:read");
  const id = organizationId ?? "";
  const { data: members } = useQuery({
    queryKey: ["names", "members"],
    queryFn: async () => (await rowmill.organizations.members.list(id, { limit: MOST })).data,
    staleTime: STALE_MS,
    enabled: mayMembers && kind === "organization",
  });
  const { data: keys } = useQuery({
    queryKey: ["names", "keys"],
    queryFn: async () => (await rowmill.organizations.apiKeys.list(id, { limit: MOST })).data,
    staleTime: STALE_MS,
    enabled: mayKeys && kind === "organization",
  });
  const names = new Map([...(members ?? []), ...(keys ?? [])].map(({ id: ofOne, name }) => [ofOne, visible(name)]));
  return (ofOne) => names.get(ofOne);
}
