/** How the service is started: from the source in a checkout and from its build elsewhere. */
import { fileURLToPath } from "node:url";

const conditions = import.meta.url.endsWith(".ts") ? ["--conditions=@rowmill/source"] : [];

/** The module that starts the service when it is loaded. */
export const serverModule = (): string => import.meta.resolve("@rowmill/server/main");

/** Arguments for Node that run the service as a process of its own. */
export function serverArguments(): string[] {
  return [...conditions, fileURLToPath(serverModule())];
}

/** How the service says that another one has its data. */
export const ANOTHER_RUNS = /^Another Rowmill is running/;

/** Arguments for Node that run the program of backups. */
export function backupArguments(): string[] {
  return [...conditions, fileURLToPath(import.meta.resolve("@rowmill/server/backup"))];
}

/** Arguments for Node that run the supervisor. */
export function supervisorArguments(): string[] {
  return [...conditions, fileURLToPath(new URL("./supervisor.ts", import.meta.url))];
}

/** Models on other machines of the user's network, which nothing else can allow for the command's own service. */
const KEPT = "ROWMILL_CONNECTION_ALLOWED_ORIGINS";

/**
 * No other setting of the user's own server, and none of the client, concerns the command's own service. What concerns Node stays, such as
 * `NODE_OPTIONS` and `NODE_EXTRA_CA_CERTS`: memory, and the certificates of a company's proxy. Processes that read strangers' bytes get
 * none of it.
 */
export function withoutRowmillSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => name === KEPT || !name.startsWith("ROWMILL_")),
  );
}
