import { WifiOff } from "lucide-react";
import { useIsAway } from "../lib/reachable.ts";

/** What is shown stays, with a line above it that says how old it may be. */
export function Offline() {
  const isAway = useIsAway();
  // The region is always there: what appears in it is announced.
  return <div role="status">{isAway && <Line />}</div>;
}

function Line() {
  return (
    <div className="flex items-center justify-center gap-2 border-b border-line bg-raised px-4 py-2 text-warn">
      <WifiOff aria-hidden size={15} className="shrink-0" />
      <span>
        The service cannot be reached. You see the state before; the page continues by itself when the service is back.
      </span>
    </div>
  );
}
