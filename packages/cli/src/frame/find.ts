/** Ids of what a person named by an id, the beginning of one, a name, or `@last`. */
import type { Rowmill } from "@rowmill/client";
import { resolveId } from "./ids.ts";
import type { Named } from "./ids.ts";

interface Findable {
  /** What people call it. */
  noun: string;
  prefix: string;
  list(rowmill: Rowmill): AsyncIterable<Named>;
  /** Advice where there is none yet. */
  howToMake?: string;
}

const findable = {
  run: {
    noun: "run",
    prefix: "run",
    list: (rowmill) => rowmill.runs.list(),
    howToMake: "`rowmill map FILE …` or `rowmill run DATASET SPEC` starts one.",
  },
  dataset: {
    noun: "dataset",
    prefix: "ds",
    list: (rowmill) => marked(rowmill.datasets.list(), ({ state }) => state === "ready"),
    howToMake: "`rowmill upload FILE` makes one.",
  },
  spec: {
    noun: "job spec",
    prefix: "spec",
    list: (rowmill) => marked(rowmill.jobSpecs.list(), ({ archivedAt }) => archivedAt === null),
    howToMake: "`rowmill specs new FILE` makes one.",
  },
  connection: { noun: "connection", prefix: "conn", list: (rowmill) => rowmill.connections.list() },
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

/** One request where `typed` is a whole id: none. */
export function findId(rowmill: Rowmill, kind: FindableKind, typed: string): Promise<string> {
  const wanted: Findable = findable[kind];
  return resolveId(wanted.noun, wanted.prefix, typed, () => wanted.list(rowmill), wanted.howToMake);
}

async function* marked<T extends { id: string; name: string }>(
  things: AsyncIterable<T>,
  isUsable: (thing: T) => boolean,
) {
  for await (const thing of things) yield { id: thing.id, name: thing.name, isUsable: isUsable(thing) };
}

async function* named<T extends { id: string }>(things: AsyncIterable<T>, nameOf: (thing: T) => string) {
  for await (const thing of things) yield { id: thing.id, name: nameOf(thing) };
}
