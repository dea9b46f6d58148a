/**
 * API keys, `rmk_` (organizations) or `rma_` (admin), and tokens of invitations, `rmi_`: 32 base62 characters, and a CRC32 of those in six
 * more.
 */
import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { sha256 } from "../secrets/sealing.ts";
import { tokenPrefixes } from "../tokens.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECK_LENGTH = 6;

export const newApiKey = (): string => newKey(tokenPrefixes.apiKey);
export const newAdminKey = (): string => newKey(tokenPrefixes.adminKey);
export const newLoginToken = (): string => newKey(tokenPrefixes.loginLink);
export const newSessionToken = (): string => newKey(tokenPrefixes.session);
export const newInvitationToken = (): string => newKey(tokenPrefixes.invitation);

/** Whether it was ever a key of an organization: mistyped and invented keys are found without a query. */
export function isApiKey(text: string): boolean {
  const [, random, check] = /^rmk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text) ?? [];
  return random !== undefined && checksum(random) === check;
}

function newKey(prefix: string): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  return prefix + random + checksum(random);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let i = 0; i < CHECK_LENGTH; i++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** Keys are long and random: a plain digest is as good as a slow one, and lets no stranger fill a processor. */
export const keyDigest = (key: string): Buffer => sha256(key);
/** The same in hexadecimal, in a quarter of the time. */
export const keyDigestHex = (key: string): string => hash("sha256", key, "hex");

/** What may be shown of a key. */
export const redactKey = (key: string): string => `${key.slice(0, 8)}…${key.slice(-4)}`;
