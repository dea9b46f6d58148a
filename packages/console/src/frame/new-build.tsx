import { useQuery } from "@tanstack/react-query";
import { Button } from "../components/button.tsx";
import { hasBuild, isOtherBuild, readServedBuild } from "../lib/screen-code.ts";

const LOOK_EVERY_MS = 300_000;

/** The service was updated under an open tab: said, and never forced. After a lost connection it is looked at again at once. */
export function NewBuild() {
  const { data } = useQuery({
    queryKey: ["build"],
    queryFn: ({ signal }) => readServedBuild(signal),
    staleTime: LOOK_EVERY_MS,
    refetchInterval: LOOK_EVERY_MS,
    enabled: hasBuild,
  });
  return (
    <div role="status">
      {isOtherBuild(data) && (
        <div className="flex flex-wrap items-center justify-center gap-3 border-b border-line bg-raised px-4 py-2">
          The console was updated; this tab has the version before.
          <Button onClick={() => location.reload()}>Reload</Button>
        </div>
      )}
    </div>
  );
}
