/** Words that names and titles of tests do not use, beside those of `prose-words.ts` for text. */
import { bannedWords } from "./prose-words.ts";

/** What makes, keeps, prices or imitates batches of a provider. */
const ofProviders = new RegExp(
  [
    "batch(?:es)?[./-]|/provider-batches/|price-list|model-prices|estimate-run|estimate-llm",
    "processors/(?:conformance\\.test|processors?|processor-definition|llm/llm|llm/llm-step)\\.ts",
    "engine/lanes/(?:run-lane\\.tasks|waiting-times)|job-specs/definition|runs/(?:budget-row|finish-run|next-steps|runs|show-run|run-budgets)\\.ts",
    "database/(?:role-rights|run-tables|tables)\\.ts|src/(?:config|start-service|worker|reconcilers)\\.ts",
    "contract/src/(?:connection-prices|model-prices|run-execution|run-reasons|examples/connections-examples)\\.ts",
    "tests/(?:guide\\.test|table-owners\\.test|tasks-of-organizations\\.test|support/(?:attempts-of-tasks|cluster/sweeps))",
  ].join("|"),
);

/** Words of names, which are split at capitals, underscores and hyphens. `except`: files in which the word has its one meaning. */
export const nameWords: readonly { words: readonly string[]; instead: string; except?: RegExp }[] = [
  {
    words: ["answer", "answers", "answered", "answering", "unanswered"],
    instead: "response, result, completion, or respond, return",
  },
  { words: ["held"], instead: "claimed, reserved, locked, kept, or postponed" },
  { words: ["judge", "judges", "judged", "judging"], instead: "validate, evaluate, or check" },
  { words: ["mend", "mends", "mended", "mendable"], instead: "repair" },
  { words: ["tell", "tells", "told", "telling"], instead: "report, state, or describe" },
  { words: ["hear", "hears", "heard"], instead: "receive, or read" },
  { words: ["berth", "berths"], instead: "slot, or permit" },
  { words: ["twin", "twins"], instead: "duplicate" },
  { words: ["sift", "sifted"], instead: "reject, or filter" },
  { words: ["parcel", "parcels", "consignment"], instead: "delivery" },
  { words: ["strained"], instead: "overloaded" },
  { words: ["anew"], instead: "again" },
  { words: ["dearer"], instead: "higher price" },
  { words: ["admitted"], instead: "allowed" },
  {
    words: ["batch", "batches", "batched"],
    instead: "rows, group, page, or share: a batch is a provider's",
    except: ofProviders,
  },
  {
    words: ["turn", "turns"],
    instead: "message, work, pass, evaluation, or slot: only a lane has turns",
    // What lanes do, and what ends their turns.
    except: /engine\/(?:lanes\/|rows\/run-control)|support\/cluster\/sweeps/,
  },
];

/** Names that are not ours alone, or that users and stored rows know. */
export const allowedNames: readonly { name: string; in?: RegExp; why: string }[] = [
  { name: "unexpected_answer", why: "a code of the client's errors, which programs compare with" },
  {
    name: "answer",
    in: /processors\/(?:llm|http)\/|engine\/rows\/http-rows|job-specs\/row-checks/,
    why: "a member of a failure's details",
  },
  { name: "batchSize", why: "an option of pg-boss" },
  { name: "burstWhenBatchFull", why: "an option of pg-boss" },
  { name: "completeJobBatchDelay", why: "an option of graphile-worker" },
  { name: "failJobBatchDelay", why: "an option of graphile-worker" },
  { name: "BatchSpanProcessor", why: "a class of OpenTelemetry" },
  { name: "lastAnswerAt", why: "a column" },
  { name: "answered", in: /platform\/database\/tables\.ts$/, why: "a column" },
  { name: "answeredSinceGrowth", why: "a column" },
  { name: "answeredSeconds", why: "a column" },
  { name: "judgedUntil", why: "a column" },
  { name: "turnNo", why: "a column" },
  { name: "turnJob", why: "a column" },
  { name: "nextTurnAt", why: "a column" },
];

export const titleWords: typeof bannedWords = [
  ...bannedWords.filter(
    ([pattern]) => !["is none", "given (?:up", "whoever"].some((start) => pattern.startsWith(start)),
  ),
  ["answers?|answered|answering", "response, result, completion, or respond, return"],
  ["held", "claimed, reserved, locked, kept, or postponed"],
];
