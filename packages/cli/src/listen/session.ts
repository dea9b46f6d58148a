/** Where the last `rowmill listen` forwards to, for `rowmill trigger`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localDirectory } from "../local/directories.ts";
import { makeOwnDirectory } from "../local/make-directory.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  url: string;
  headerPrefix: string;
}

const fileOf = (environment: Environment): string => join(localDirectory(environment).root, "listen.json");

export function rememberSession(environment: Environment, { url, headerPrefix }: Session): void {
  makeOwnDirectory(localDirectory(environment).root, "XDG_DATA_HOME");
  writeFileSync(fileOf(environment), JSON.stringify({ url, headerPrefix }), { mode: 0o600 });
}

/** Undefined where nobody has listened yet. */
export function lastSession(environment: Environment): Session | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(environment), "utf8")) as Session; // written by rememberSession
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The address as `--forward-to` may be written: `3000/hooks` and `localhost:3000/hooks` are short for http. */
export function receiverUrl(text: string): string | undefined {
  const whole = /^https?:\/\//i.test(text) ? text : `http://${/^\d+(\/|$)/.test(text) ? "localhost:" : ""}${text}`;
  return URL.canParse(whole) ? new URL(whole).href : undefined;
}
