/** What a person types for a thing: its id, the beginning of it, its name where only one has it, or `@last`. */
import { usageProblem } from "./problem.ts";

export interface Named {
  id: string;
  name?: string | null;
  /** False for what nothing can be done with, such as a dataset whose file was refused: a name and `@last` mean another one. */
  isUsable?: boolean;
}

/** Things that are looked at for a name or the beginning of an id: the newest ones. A full id needs no list. */
const MAX_LOOKED_AT = 1000;
/** Of things whose names begin as was typed: reading as many takes some ten seconds. */
const MAX_NAMESAKES_LOOKED_AT = 100_000;
const FULL_ID_SUFFIX = 26;
/** As many as fit a sentence. */
const MAX_SHOWN = 3;

export const isFullId = (prefix: string, typed: string): boolean =>
  typed.startsWith(`${prefix}_`) && typed.length === prefix.length + 1 + FULL_ID_SUFFIX;

/** `howToMake`: advice where there is none at all. */
export async function resolveId(
  what: string,
  prefix: string,
  typed: string,
  list: () => AsyncIterable<Named>,
  howToMake?: string,
): Promise<string> {
  return onlyOne(what, typed, await findNamed(prefix, typed, list), howToMake);
}

/** Whether what was found is meant for sure: by its id, its name, or a beginning that is more than the prefix of all ids. */
export function isMeant(prefix: string, typed: string, found: readonly Named[]): boolean {
  if (found.some(({ id, name }) => id === typed || name === typed)) return true;
  const beginning = typed.replace(/…$/, "");
  return found.length === 1 && beginning.startsWith(`${prefix}_`) && beginning.length > prefix.length + 1;
}

export const isUsable = (thing: Named): boolean => thing.isUsable !== false;

/** Those that are called exactly so, among those whose names begin so. */
export async function findNamesakes(typed: string, list: () => AsyncIterable<Named>): Promise<Named[]> {
  const found: Named[] = [];
  let looked = 0;
  for await (const thing of list()) {
    if (thing.name === typed) found.push(thing);
    if (++looked >= MAX_NAMESAKES_LOOKED_AT) break;
  }
  return usableFirst(found);
}

/** Where nothing is usable, what is there is named. */
const usableFirst = (things: readonly Named[]): Named[] => {
  const usable = things.filter(isUsable);
  return usable.length > 0 ? usable : [...things];
};

/** All that `typed` may mean. */
export async function findNamed(prefix: string, typed: string, list: () => AsyncIterable<Named>): Promise<Named[]> {
  if (isFullId(prefix, typed)) return [{ id: typed }];
  const beginning = typed.replace(/…$/, "");
  const byId: Named[] = [];
  const byName: Named[] = [];
  let looked = 0;
  for await (const thing of list()) {
    if (typed === "@last" && isUsable(thing)) return [thing];
    if (thing.id === typed) return [thing];
    if (thing.id.startsWith(beginning) || thing.id.startsWith(`${prefix}_${beginning}`)) byId.push(thing);
    if (thing.name === typed) byName.push(thing);
    if (++looked >= MAX_LOOKED_AT) break;
  }
  return byName.length > 0 ? usableFirst(byName) : byId;
}

/** `advice`: where there is none, in place of what an id looks like. */
export function onlyOne(
  what: string,
  typed: string,
  found: readonly Named[],
  howToMake?: string,
  advice?: string,
): string {
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  if (only === undefined)
    throw usageProblem(
      typed === "@last" ? `There is no ${what} yet.` : `There is no ${what} "${typed}".`,
      typed === "@last" && howToMake !== undefined
        ? howToMake
        : (advice ?? "Use its id, the beginning of it, or its name."),
    );
  const shown = found.slice(0, MAX_SHOWN).map(({ id }) => id);
  throw usageProblem(
    `"${typed}" names ${found.length} things: ${shown.join(", ")}.`,
    found.every(({ name }) => name === typed) ? "Use the id of one of them." : "Use a longer beginning of the id.",
  );
}
