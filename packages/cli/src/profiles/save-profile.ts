/** Profiles of the user's own file: written whole, readable for the user alone. */
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { configFile, formatProfiles, readProfiles } from "@rowmill/client/profiles";
import type { Profile, Profiles } from "@rowmill/client/profiles";
import { makeOwnDirectory } from "../local/make-directory.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Saved {
  file: string;
  /** Commands use it when nothing else is named. */
  isDefault: boolean;
}

/** The first profile becomes the default one. */
export function saveProfile(environment: Environment, name: string, profile: Profile): Saved {
  return changeProfiles(
    environment,
    ({ defaultName, profiles }) => ({
      defaultName: defaultName ?? name,
      profiles: { ...profiles, [name]: profile },
    }),
    name,
  );
}

export function changeProfiles(
  environment: Environment,
  change: (before: Profiles) => Profiles,
  name: string | undefined,
): Saved {
  const file = configFile(environment);
  const changed = change(readProfiles(file));
  makeOwnDirectory(dirname(file), "XDG_CONFIG_HOME");
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, formatProfiles(changed), { mode: 0o600 });
  chmodSync(part, 0o600); // one that a killed command has left keeps its mode
  renameSync(part, file);
  return { file, isDefault: changed.defaultName === name };
}

/** As the service shows keys: enough to distinguish two. */
export const shownKey = (apiKey: string | undefined): string =>
  apiKey === undefined ? "no key" : `${apiKey.slice(0, 4)}…${apiKey.slice(-4)}`;
