/** Who may do what at the beginning: the admin key, the first organization, and the limits of organizations. */
import type { Config } from "../config.ts";
import type { Database } from "../platform/database/database.ts";
import { openAdminKey } from "../resources/api-keys/admin-key.ts";
import { createFirstOrganization } from "../resources/api-keys/first-organization.ts";
import type { DefaultLimits } from "../services.ts";

/** The admin key, and the first organization with its key, where the settings ask for them. */
export async function readAuthority(database: Database, config: Config) {
  const adminKey = await openAdminKey(database, config.ROWMILL_ADMIN_KEY);
  const limits = limitsOfOrganizations(config);
  await createFirstOrganization(database, {
    name: config.ROWMILL_INIT_ORGANIZATION,
    keyFile: config.ROWMILL_INIT_KEY_FILE,
    limits,
  });
  return { adminKey, limits };
}

/** Of organizations that have no limits of their own. */
function limitsOfOrganizations(config: Config): DefaultLimits {
  return {
    runsInProgress: config.ROWMILL_MAX_RUNS_IN_PROGRESS,
    webhookEndpoints: config.ROWMILL_MAX_WEBHOOK_ENDPOINTS,
    apiKeys: config.ROWMILL_MAX_API_KEYS,
    storageBytes: config.ROWMILL_MAX_STORAGE_BYTES,
    ...(config.ROWMILL_RATE_LIMIT_PER_MINUTE === 0 ? {} : { requestsPerMinute: config.ROWMILL_RATE_LIMIT_PER_MINUTE }),
  };
}

export async function hasNoOrganization({ db }: Database): Promise<boolean> {
  return (await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst()) === undefined;
}
