/**
 * URLs whose path or query is what lets a caller in: incoming webhooks of Slack, webhook endpoints, presigned sources. They are
 * kept sealed, and shown as their origin and last four characters.
 */
import type { Sealer } from "./sealing.ts";

const SHOWN_CHARACTERS = 4;

/** Of a shorter path and query, four characters would be too large a part. */
const MIN_CHARACTERS = 8;

const HIDDEN = "\u2026";

export type UrlHolder = "webhook_endpoints" | "alert_rules" | "dataset_uploads";

interface HolderKey {
  organizationId: string;
  id: string;
}

export const sealUrl = (sealer: Sealer, holder: UrlHolder, key: HolderKey, url: string): string =>
  sealer.seal(url, placeOfUrl(holder, key));

export const openUrl = (sealer: Sealer, holder: UrlHolder, key: HolderKey, sealed: string): string =>
  sealer.open(sealed, placeOfUrl(holder, key));

export const placeOfUrl = (holder: UrlHolder, { organizationId, id }: HolderKey): string =>
  `${holder}|url|${id}|${organizationId}`;

/** For people to distinguish them: `https://hooks.example.com/\u2026/abcd`. */
export function showUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const secret = pathname.slice(1) + search;
  if (secret === "") return `${origin}/`;
  // A slash among them is the one that is written before them.
  const end = secret.length < MIN_CHARACTERS ? "" : secret.slice(-SHOWN_CHARACTERS).replace(/^\/+/, "");
  return end === "" ? `${origin}/${HIDDEN}` : `${origin}/${HIDDEN}/${end}`;
}

/** Whether it is what `showUrl` has made, which somebody has read and sends back. */
export const isShownUrl = (url: string): boolean => url.includes(`/${HIDDEN}`) || /\/%E2%80%A6(?:\/|$)/i.test(url);
