/** A distributed database as a worker of the service has it, for one organization. */
import { openDatabase } from "@rowmill/server/platform/database/database";
import type { OrganizationDatabase } from "@rowmill/server/platform/database/database";
import { createTasks } from "@rowmill/server/platform/database/tenants";
import { parseId } from "@rowmill/server/platform/ids";
import { runOn } from "@rowmill/server/testing/citus";

export async function openOwn(
  url: string,
  organizationId: string,
): Promise<{ own: OrganizationDatabase; close: () => Promise<void> }> {
  const database = openDatabase(url, { max: 2, onError: () => undefined });
  const { of } = createTasks(database, await readTaskRole(url), true);
  return { own: of(parseId("organization", organizationId) ?? ""), close: () => database.close() };
}

export async function readTaskRole(url: string): Promise<string> {
  const [role] = await runOn(
    url,
    "select 'rowmill_task_' || relowner as name from pg_class where oid = 'run_chunks'::regclass",
  );
  return String(role?.["name"]);
}
