/** Whether calls to other machines can leave at all: the name servers respond, and the proxy takes connections. Calls no customer. */
import { once } from "node:events";
import { connect } from "node:net";
import { codeOf } from "../error-code.ts";
import { EgressError } from "./failure.ts";
import type { EgressProxy } from "./proxy.ts";
import type { Resolve } from "./resolver.ts";

/** Of the two checks together, from which a person waits for the result. */
const TIMEOUT_MS = 5_000;
/** Name servers respond that it does not exist, and ask no other for it (RFC 6761). */
const RESERVED_NAME = "rowmill.invalid";
/** What a name server that works responds to that. */
const NO_SUCH_NAME = new Set(["ENOTFOUND", "ENODATA"]);

/** Rejects with a sentence for the operator. */
export async function checkWayOut({ resolve, proxy }: { resolve: Resolve; proxy?: EgressProxy }): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await Promise.all([checkNameServers(resolve, signal), proxy === undefined ? undefined : checkProxy(proxy, signal)]);
}

async function checkNameServers(resolve: Resolve, signal: AbortSignal): Promise<void> {
  try {
    await resolve(RESERVED_NAME, signal);
  } catch (error) {
    const code = error instanceof EgressError ? codeOf(error.cause) : undefined;
    if (code !== undefined && NO_SUCH_NAME.has(code)) return;
    throw new Error(
      `No name server responds (${code ?? "timeout"}): look at the network and at ROWMILL_EGRESS_NAME_SERVERS.`,
      { cause: error },
    );
  }
}

async function checkProxy({ host, port }: EgressProxy, signal: AbortSignal): Promise<void> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect", { signal });
  } catch (error) {
    throw new Error(`The proxy of ROWMILL_EGRESS_PROXY takes no connection (${codeOf(error) ?? "timeout"}).`, {
      cause: error,
    });
  } finally {
    socket.destroy();
  }
}
