/**
 * The secrets of an endpoint, or of an alert rule, as they are kept: sealed, the current one and those that a rotation has not yet retired.
 */
import { openUnlessLost } from "../../platform/secrets/sealing.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";

/** How long the list of signatures also contains that of an old secret: receivers are changed within a day. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000;

/** Each makes the header longer; a receiver that rotates more often within a day has lost the older ones anyway. */
const MAX_PREVIOUS_SECRETS = 5;

/** A sealed secret opens at its own place only. */
export type SecretHolder = "webhook_endpoints" | "alert_rules";

/** Outcome of an attempt that was never sent, beside those of egress. */
export interface LostSecret {
  outcome: "failed";
  reason: "secret_lost";
  message: string;
  durationMs: number;
}

export interface PreviousSecret {
  sealed: string;
  expiresAt: string;
}

/** As the holder's row has them. */
export interface StoredSecrets {
  organizationId: string;
  id: string;
  signingSecret: string;
  previousSecrets: readonly PreviousSecret[];
}

export const sealSecret = (
  sealer: Sealer,
  holder: SecretHolder,
  key: Pick<StoredSecrets, "organizationId" | "id">,
  secret: string,
): string => sealer.seal(secret, placeOfSigningSecret(holder, key));

/** What signs at this moment, the newest first. Throws a `LostKeyError` where the newest does not open. */
export function openSecrets(
  sealer: Sealer,
  holder: SecretHolder,
  stored: StoredSecrets,
  now: Date,
): [string, ...string[]] {
  const place = placeOfSigningSecret(holder, stored);
  return [
    sealer.open(stored.signingSecret, place),
    // Once the secret was rotated, one from before whose key is lost keeps nothing from being signed.
    ...stillValid(stored.previousSecrets, now).flatMap(
      ({ sealed }) => openUnlessLost(() => sealer.open(sealed, place)) ?? [],
    ),
  ];
}

/** The previous secrets after a rotation at this moment, the newest first. */
export function retireSecret(
  stored: Pick<StoredSecrets, "signingSecret" | "previousSecrets">,
  now: Date,
): PreviousSecret[] {
  const retired = {
    sealed: stored.signingSecret,
    expiresAt: new Date(now.getTime() + ROTATION_OVERLAP_MS).toISOString(),
  };
  return [retired, ...stillValid(stored.previousSecrets, now)].slice(0, MAX_PREVIOUS_SECRETS);
}

const stillValid = (previous: readonly PreviousSecret[], now: Date): PreviousSecret[] =>
  previous.filter(({ expiresAt }) => Date.parse(expiresAt) > now.getTime());

export const placeOfSigningSecret = (
  holder: SecretHolder,
  { organizationId, id }: Pick<StoredSecrets, "organizationId" | "id">,
): string => `${holder}|signing_secret|${id}|${organizationId}`;
