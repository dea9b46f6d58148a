/** A browser has no environment and no profiles. */
import type { FoundCredentials } from "./surroundings.ts";

export const whereToSet = "a browser has no environment to read them from";

export function surroundingCredentials(given: FoundCredentials): FoundCredentials {
  return given;
}
