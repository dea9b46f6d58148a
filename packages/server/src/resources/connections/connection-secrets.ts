/** The secret of a connection as it is kept, and as much of it as may be shown. */
import { openUnlessLost } from "../../platform/secrets/sealing.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";

/** Of a shorter one, four characters would be too large a part. */
const MIN_SHOWN_LENGTH = 16;
const SHOWN_CHARACTERS = 4;

export const sealSecret = (sealer: Sealer, organizationId: string, id: string, secret: string): string =>
  sealer.seal(secret, placeOfSecret(organizationId, id));

/** `isSecretLost`: there is one, and nobody can open it any more. */
export interface OpenedSecret {
  secret: string | null;
  isSecretLost?: true;
}

export function openSecret(
  sealer: Sealer,
  { organizationId, id, secret }: { organizationId: string; id: string; secret: string | null },
): OpenedSecret {
  if (secret === null) return { secret };
  const opened = openUnlessLost(() => sealer.open(secret, placeOfSecret(organizationId, id)));
  return opened === undefined ? { secret: null, isSecretLost: true } : { secret: opened };
}

/** For people to distinguish keys. */
export const redact = (secret: string): string =>
  secret.length < MIN_SHOWN_LENGTH ? "…" : `…${secret.slice(-SHOWN_CHARACTERS)}`;

export const placeOfSecret = (organizationId: string, id: string): string =>
  `connections|secret|${id}|${organizationId}`;
