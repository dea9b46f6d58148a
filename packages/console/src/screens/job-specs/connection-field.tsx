import { useQuery } from "@tanstack/react-query";
import type { Connection } from "@rowmill/client";
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "../../components/button.tsx";
import { rowmill } from "../../lib/client.ts";
import { useProblem } from "../../lib/draft-problems.ts";
import { shortId } from "../../lib/names.ts";
import { ConnectionDialog } from "../connections/connection-dialog.tsx";

/** A connection of the organization, or one that is made here. */
export function ConnectionField({
  value,
  types,
  optional = false,
  onChange,
}: {
  value: string;
  types: Connection["type"][];
  optional?: boolean;
  onChange: (id: string) => void;
}) {
  const [isMaking, setMaking] = useState(false);
  const { data } = useQuery({
    queryKey: ["connections", "choice"],
    queryFn: async () => (await rowmill.connections.list({ limit: 200 })).data,
  });
  const id = useId();
  const problem = useProblem("/processor/connection");
  const choice = data?.filter(({ type }) => types.includes(type));
  const hasNone = !optional && choice?.length === 0;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {hasNone ? (
        <>
          <span className="font-medium">Connection</span>
          <Button className="self-start" icon={Plus} onClick={() => setMaking(true)}>
            New connection
          </Button>
          <p className="text-xs text-soft">The address of the model, and its key. It is tested before it is used.</p>
        </>
      ) : (
        <>
          <label htmlFor={id} className="font-medium">
            Connection
          </label>
          <div className="flex gap-2">
            <select id={id} className="input min-w-0" value={value} onChange={({ target }) => onChange(target.value)}>
              <option value="">{optional ? "None: the URL is absolute" : "Choose a connection"}</option>
              {/* The list is on its way, or the connection is not in it: the field must not say that none is chosen. */}
              {value !== "" && choice?.every((connection) => connection.id !== value) !== false && (
                <option value={value}>{shortId(value)}</option>
              )}
              {choice?.map((connection) => (
                <option key={connection.id} value={connection.id}>
                  {connection.name}
                </option>
              ))}
            </select>
            <Button icon={Plus} label="New connection" onClick={() => setMaking(true)} />
          </div>
        </>
      )}
      {problem !== undefined && <p className="text-xs text-bad">{problem}</p>}
      {isMaking && (
        <ConnectionDialog types={types} onClose={() => setMaking(false)} onSaved={(made) => onChange(made.id)} />
      )}
    </div>
  );
}
