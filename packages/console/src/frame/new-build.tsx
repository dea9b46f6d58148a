import { useQuery } from "@tanstack/react-query";
import { Button } from "../components/button.tsx";
import { baseUrl } from "../lib/client.ts";

const LOOK_EVERY_MS = 300_000;
const own = document.querySelector<HTMLMetaElement>('meta[name="rowmill-build"]')?.content ?? "";

/** The service was updated under an open tab: said, and never forced. After a lost connection it is looked at again at once. */
export function NewBuild() {
  const { data } = useQuery({
    queryKey: ["build"],
    queryFn: async ({ signal }) => {
      const response = await fetch(`${baseUrl}console.json`, { signal });
      const { build } = (await response.json()) as { build: string }; // our own route
      return build;
    },
    staleTime: LOOK_EVERY_MS,
    refetchInterval: LOOK_EVERY_MS,
    enabled: own !== "" && own !== "development",
  });
  if (data === undefined || data === own) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-center gap-3 border-b border-line bg-raised px-4 py-2"
    >
      The console was updated; this tab has the version before.
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  );
}
