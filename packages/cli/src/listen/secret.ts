/** The signing secret of this user's listening: made once, so that a receiver keeps the one that it has. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localDirectory } from "../local/directories.ts";
import { makeOwnDirectory } from "../local/make-directory.ts";

/** As of the endpoints of the service. */
const SECRET_BYTES = 32;

export function listenSecret(environment: Readonly<Record<string, string | undefined>>): string {
  const { root } = localDirectory(environment);
  const file = join(root, "listen-secret");
  makeOwnDirectory(root, "XDG_DATA_HOME");
  try {
    // Of two commands at once, one makes it.
    writeFileSync(file, `whsec_${randomBytes(SECRET_BYTES).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return readFileSync(file, "utf8").trim();
}
