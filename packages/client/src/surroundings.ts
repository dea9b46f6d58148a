/** What a client finds around it in Node: the environment and the profiles. `surroundings-browser.ts` replaces it in browsers. */
import { findCredentials } from "./profiles.ts";

export interface FoundCredentials {
  url: string | undefined;
  apiKey: string | undefined;
}

export const whereToSet = "set ROWMILL_API_KEY and ROWMILL_URL, or name a profile of config.toml in ROWMILL_PROFILE";

export function surroundingCredentials(given: FoundCredentials): FoundCredentials {
  return findCredentials({ ...given, environment: process.env, directory: process.cwd() });
}
