/** Ids of what a person named by an id, the beginning of one, a name, or `@last`. */
import { statSync } from "node:fs";
import type { Dataset, JobSpec, Rowmill } from "@rowmill/client";
import { findNamed, findNamesakes, isFullId, isMeant, isUsable, onlyOne } from "./ids.ts";
import type { Named } from "./ids.ts";
import { usageProblem } from "./problem.ts";
import { quoted } from "./shell-words.ts";

interface Findable {
  /** What people call it. */
  noun: string;
  prefix: string;
  list: (rowmill: Rowmill) => AsyncIterable<Named>;
  /** Those whose names begin so, however old they are. Absent where the API has no such filter. */
  listNamed?: (rowmill: Rowmill, name: string) => AsyncIterable<Named>;
  /** Advice where there is none yet. */
  howToMake?: string;
  /** Advice where there is none of this name; `name` is a word of a shell. */
  howToMakeNamed?: (name: string) => string;
  /** Advice where a file was typed in place of one; `file` is a word of a shell. */
  howToUseFile?: (file: string) => string;
}

const isReady = ({ state }: Pick<Dataset, "state">): boolean => state === "ready";
const isOpen = ({ archivedAt }: Pick<JobSpec, "archivedAt">): boolean => archivedAt === null;

const findable = {
  run: {
    noun: "run",
    prefix: "run",
    list: (rowmill) => rowmill.runs.list(),
    listNamed: (rowmill, name) => rowmill.runs.list({ name }),
    howToMake: "`rowmill map FILE …` or `rowmill run DATASET SPEC` starts one.",
    howToUseFile: (file) => `\`rowmill map ${file} …\` starts a run over this file.`,
  },
  dataset: {
    noun: "dataset",
    prefix: "ds",
    list: (rowmill) => marked(rowmill.datasets.list(), isReady),
    listNamed: (rowmill, name) => marked(rowmill.datasets.list({ name }), isReady),
    howToMake: "`rowmill upload FILE` makes one.",
    howToUseFile: (file) =>
      `\`rowmill upload ${file}\` makes a dataset of this file; \`rowmill map ${file} …\` does so and starts a run.`,
  },
  spec: {
    noun: "job spec",
    prefix: "spec",
    list: (rowmill) => marked(rowmill.jobSpecs.list(), isOpen),
    listNamed: (rowmill, name) => marked(rowmill.jobSpecs.list({ name }), isOpen),
    howToMake: "`rowmill specs new FILE` makes one.",
    howToUseFile: (file) =>
      CODE.test(file)
        ? `\`rowmill map FILE --transform ${file}\` processes the rows of a file by this code.`
        : `\`rowmill specs new ${file}\` makes a job spec of this file.`,
  },
  connection: {
    noun: "connection",
    prefix: "conn",
    list: (rowmill) => rowmill.connections.list(),
    howToMakeNamed: (name) =>
      `\`rowmill connect PROVIDER --name ${name}\` makes one for models, and \`rowmill connect http --name ${name} --base-url URL\` for another service.`,
  },
  webhook: {
    noun: "webhook endpoint",
    prefix: "whe",
    list: (rowmill) => named(rowmill.webhookEndpoints.list(), ({ url }) => url),
  },
  delivery: { noun: "webhook delivery", prefix: "whd", list: (rowmill) => rowmill.webhookDeliveries.list() },
  alert: { noun: "alert rule", prefix: "alr", list: (rowmill) => rowmill.alertRules.list() },
  export: { noun: "export", prefix: "exp", list: (rowmill) => rowmill.exports.list() },
} satisfies Record<string, Findable>;

export type FindableKind = keyof typeof findable;

/** By few requests; by none where `typed` is a whole id. */
export async function findId(rowmill: Rowmill, kind: FindableKind, typed: string): Promise<string> {
  const found = await find(rowmill, kind, typed);
  const other = Object.values<Findable>(findable).find(({ prefix }) => isFullId(prefix, typed));
  if (found.length === 0 && other !== undefined) throw otherKind(typed, other, kind, "Use the id or the name of one.");
  return idOf(kind, typed, found);
}

/** For commands that take both, in this order. */
export async function findDatasetAndSpec(
  rowmill: Rowmill,
  dataset: string,
  spec: string,
): Promise<{ datasetId: string; jobSpecId: string }> {
  const order = "The dataset comes first, and then the job spec.";
  const findBeside = async (kind: FindableKind, typed: string, other: FindableKind): Promise<string> => {
    const found = await find(rowmill, kind, typed);
    if (found.length === 0 && typed !== "@last" && (await isOneOf(rowmill, other, typed)))
      throw otherKind(typed, findable[other], kind, order);
    return idOf(kind, typed, found);
  };
  return {
    datasetId: await findBeside("dataset", dataset, "spec"),
    jobSpecId: await findBeside("spec", spec, "dataset"),
  };
}

/** For the advice in an error only: where this search fails, or finds several things, there is no advice. */
async function isOneOf(rowmill: Rowmill, kind: FindableKind, typed: string): Promise<boolean> {
  try {
    return isMeant(findable[kind].prefix, typed, await find(rowmill, kind, typed));
  } catch {
    return false;
  }
}

async function find(rowmill: Rowmill, kind: FindableKind, typed: string): Promise<Named[]> {
  const { prefix, list, listNamed }: Findable = findable[kind];
  const found = await findNamed(prefix, typed, () => list(rowmill));
  if (typed === "@last" || !mayBeName(typed) || listNamed === undefined) return found;
  if (found.some((thing) => thing.id === typed || (thing.name === typed && isUsable(thing)))) return found;
  // Only the newest ones were looked at.
  const older = await findNamesakes(typed, () => listNamed(rowmill, typed));
  return found.length === 0 || older.some(isUsable) ? older : found;
}

/** As the API limits names. */
const mayBeName = (typed: string): boolean => typed !== "" && typed.length <= 200;

function idOf(kind: FindableKind, typed: string, found: readonly Named[]): string {
  const { noun, howToMake, howToMakeNamed, howToUseFile }: Findable = findable[kind];
  // Only an error needs it.
  const ofFile = found.length === 0 && isFile(typed) ? howToUseFile?.(quoted(typed)) : undefined;
  const ofUrl = kind === "dataset" && IS_URL.test(typed) ? `\`rowmill upload ${quoted(typed)}\` makes one.` : undefined;
  return onlyOne(noun, typed, found, howToMake, ofFile ?? ofUrl ?? howToMakeNamed?.(quoted(typed)));
}

const CODE = /\.[cm]?[jt]s'?$/i;
const IS_URL = /^https?:\/\//i;

function isFile(typed: string): boolean {
  try {
    return statSync(typed).isFile();
  } catch {
    return false;
  }
}

const otherKind = (typed: string, { noun }: Findable, wanted: FindableKind, advice: string) =>
  usageProblem(`"${typed}" is ${withArticle(noun)}, not ${withArticle(findable[wanted].noun)}.`, advice);

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

async function* marked<T extends { id: string; name: string }>(
  things: AsyncIterable<T>,
  isUsable: (thing: T) => boolean,
) {
  for await (const thing of things) yield { id: thing.id, name: thing.name, isUsable: isUsable(thing) };
}

async function* named<T extends { id: string }>(things: AsyncIterable<T>, nameOf: (thing: T) => string) {
  for await (const thing of things) yield { id: thing.id, name: nameOf(thing) };
}
