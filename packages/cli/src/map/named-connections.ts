/** The connection of a request, and whether its key is sent: the service puts it only where a header names it. */
import { RowmillError } from "@rowmill/client";
import type { Rowmill } from "@rowmill/client";
import { withNamedConnections } from "../apply/connection-names.ts";
import type { Cli } from "../frame/command.ts";
import { quoted } from "../frame/shell-words.ts";
import { CONNECTION_SECRET } from "./definition.ts";
import type { Definition } from "./definition.ts";

export async function withConnectionsOf(cli: Cli, rowmill: Rowmill, defined: Definition): Promise<Definition> {
  const definition = await withNamedConnections(rowmill, defined);
  const { processor } = definition;
  if (processor.type !== "http" || processor.connection === undefined) return definition;
  if (Object.values(processor.headers ?? {}).some((value) => CONNECTION_SECRET.test(value))) return definition;
  try {
    const { name, redactedSecret } = await rowmill.connections.get(processor.connection, { signal: cli.signal });
    if (redactedSecret !== null)
      cli.output.note(
        `The key of the connection ${quoted(name)} is not sent, because no header names it. One such as 'authorization: Bearer {{connection.secret}}' does.`,
      );
  } catch (error) {
    // Nothing but a note depends on it.
    if (!(error instanceof RowmillError)) throw error;
  }
  return definition;
}
