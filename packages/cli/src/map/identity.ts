/**
 * What makes two commands the same: the content of the file, what happens to a row, and which rows. Keys are made of these hashes,
 * so that the same command finds its dataset, job spec and run again, also after everything was killed at any moment.
 */
import { createHash } from "node:crypto";

/** 128 bits: no two things of one organization ever meet. */
const KEY_CHARACTERS = 32;

export function keyOf(purpose: string, ...parts: unknown[]): string {
  const hash = createHash("sha256")
    .update(canonical([purpose, ...parts]))
    .digest("hex");
  return `rowmill-map-${purpose}-${hash.slice(0, KEY_CHARACTERS)}`;
}

/** JSON with members in order: the same value has one text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
