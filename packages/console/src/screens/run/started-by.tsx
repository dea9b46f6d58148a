import { Link } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { stateOfKey } from "../../lib/keys.ts";
import { useStarter } from "../../lib/people.ts";

/** The key that the run was started with, and the way to the list that has it. */
export function StartedBy({ run }: { run: Run }) {
  const { key, text, isReading } = useStarter(run);
  if (run.apiKeyId === null || isReading) return null;
  const name = <span className="[overflow-wrap:anywhere]">{text}</span>;
  return (
    <span title={run.apiKeyId}>
      Started by{" "}
      {key === undefined ? (
        name
      ) : (
        <Link
          to="/members"
          search={{ tab: "keys", ...(stateOfKey(key) === "active" ? {} : { show: "all" }) }}
          className="link"
        >
          {name}
        </Link>
      )}
    </span>
  );
}
