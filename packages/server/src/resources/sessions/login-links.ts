/**
 * The link that `npm start` prints where the service listens on loopback: a person who reads the terminal is signed in without a key.
 * It works once, and for an hour.
 */
import { expandScopes } from "@rowmill/contract/scopes";
import type { AdminCaller, OrganizationCaller, PublicCaller } from "../../platform/auth/caller.ts";
import { keyDigest, newLoginToken } from "../../platform/auth/keys.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { uuidOf } from "../../platform/ids.ts";
import { insertFullKey } from "../api-keys/api-keys.ts";
import { insertOrganization } from "../organizations/organizations.ts";
import type { DefaultLimits } from "../../services.ts";
import { sharedMs, sharedNow } from "../../platform/shared-time.ts";

/** Long enough to come back from lunch; the token stands in the terminal, and perhaps in a log. */
const LINK_MS = 3_600_000;
/** Of the organization that the first person makes by signing in; it can be renamed. */
const FIRST_NAME = "My organization";

/** The path of a new link, below the public URL. */
export async function createLoginLink({ db }: Pick<Database, "db">): Promise<string> {
  const token = newLoginToken();
  const now = sharedMs();
  await db.deleteFrom("loginLinks").where("expiresAt", "<", new Date(now)).execute();
  await db
    .insertInto("loginLinks")
    .values({ digest: keyDigest(token), expiresAt: new Date(now + LINK_MS) })
    .execute();
  return `/sign-in#token=${token}`;
}

/** Whom the link signs in: the only organization, by a key of its own, or the admin where there are several. */
export async function redeemLoginLink(
  tx: Transaction,
  asked: PublicCaller,
  { token, expiresAt }: { token: string; expiresAt: Date },
  { limits }: { limits: DefaultLimits },
): Promise<OrganizationCaller | AdminCaller> {
  const link = await tx
    .deleteFrom("loginLinks")
    .where("digest", "=", keyDigest(token))
    .where("expiresAt", ">", sharedNow())
    .returning("digest")
    .executeTakeFirst();
  if (!link)
    throw new ApiError(
      "login_link_invalid",
      "This login link was used before, or is older than an hour: restart the service for a new one, or sign in with an API key.",
    );
  const shared = { requestId: asked.requestId, ip: asked.ip, session: null };
  const organizations = await tx
    .selectFrom("organizations")
    .select(["id", "state"])
    .limit(2)
    .forNoKeyUpdate()
    .execute();
  if (organizations.length > 1 || organizations[0]?.state === "suspended") return { kind: "admin", ...shared };
  const organizationId =
    organizations[0]?.id ??
    uuidOf("organization", (await insertOrganization(tx, asked, { name: FIRST_NAME }, { limits })).id);
  const made = await insertFullKey(
    tx,
    asked,
    { organizationId, name: "Console, by a login link", expiresAt },
    { limits },
  );
  const apiKeyId = uuidOf("apiKey", made.id);
  return { kind: "organization", organizationId, apiKeyId, memberId: null, scopes: expandScopes(["*"]), ...shared };
}
