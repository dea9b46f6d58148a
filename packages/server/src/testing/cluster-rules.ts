/**
 * What a statement on a large table must not be, since Citus refuses it or takes it otherwise than PostgreSQL does (decision 0025). Each
 * rule is something that a trial on a cluster has shown; `cluster-rules.test.ts` has a wrong statement for each. They see the shape of a
 * statement alone: what they let pass is still to be tried on a cluster (`npm run test:citus`).
 */
import { largeTables, namesLargeTable } from "../platform/database/large-tables.ts";
import type { LargeTable } from "../platform/database/large-tables.ts";
import { listsOf, readTokens, wordsOf } from "./sql-tokens.ts";
import type { Tokens } from "./sql-tokens.ts";

/** Sentences; none for a statement that names no large table. `smallTables` are all others, those of the queue with their schema. */
export function faultsOnCluster(statement: string, smallTables: ReadonlySet<string>): string[] {
  if (!namesLargeTable(statement)) return [];
  const parsed = parse(statement, smallTables);
  return parsed.large.length === 0 ? [] : RULES.flatMap((rule) => rule(parsed) ?? []);
}

interface Parsed {
  tokens: Tokens;
  lists: Tokens[];
  words: string[];
  /** Tables that it names where tables are named. */
  large: LargeTable[];
  small: string[];
}

function parse(statement: string, smallTables: ReadonlySet<string>): Parsed {
  const tokens = readTokens(statement);
  const words = wordsOf(tokens);
  const named = tablesIn(words);
  return {
    tokens,
    lists: [...listsOf(tokens)],
    words,
    large: named.filter(isLarge),
    small: named.filter((name) => smallTables.has(name)),
  };
}

const isLarge = (name: string): name is LargeTable => Object.hasOwn(largeTables, name);

const BEFORE_TABLES = new Set(["from", "join", "into", "update", "using", "only", "copy", "table", ","]);
/** Words before which a table may stand; whether it is one is for the caller to know. */
const tablesIn = (words: readonly string[]): string[] =>
  words.filter((_word, at) => at > 0 && BEFORE_TABLES.has(words[at - 1] ?? ""));

const columnsOf = (tables: readonly LargeTable[]): string[] => [...new Set(tables.map((table) => largeTables[table]))];

type Rule = (parsed: Parsed) => string | undefined;

const RULES: readonly Rule[] = [
  oneServer,
  namesItsServer,
  keepsItsServer,
  conflictsOnItsServer,
  limitsOnItsServer,
  immutableWithin,
  insertsWhatReturns,
  locksNothingElse,
  standsAlone,
];

/** A join is refused or, with a lock, locks nothing in silence. An insert may take its rows from one other place. */
function oneServer({ large, small, words }: Parsed): string | undefined {
  const into = words[words.indexOf("into") + 1] ?? "";
  const isInsert = words[0] === "insert" && isLarge(into);
  const others = isInsert ? large.filter((table) => table !== into) : large;
  const places = columnsOf(others).length + (small.length > 0 ? 1 : 0);
  if (places <= 1) return undefined;
  return `it names tables that lie on different servers: ${[...new Set([...others, ...small])].join(", ")}`;
}

const WRITES = new Set(["update", "delete"]);

/** Writes and locks go to the one server that the column names. */
function namesItsServer({ large, words }: Parsed): string | undefined {
  const isWrite = words.some((word, at) => WRITES.has(word) && isLarge(words[at + (word === "delete" ? 2 : 1)] ?? ""));
  const isLock = words.some((word, at) => word === "for" && /^(?:update|share|no|key)$/.test(words[at + 1] ?? ""));
  if (!isWrite && !isLock) return undefined;
  const missing = columnsOf(large).filter((column) => !isBound(words, column));
  return missing.length === 0 ? undefined : `it writes or locks without ${missing.join(", ")} = a value`;
}

/** By a value that is known before the statement runs: a parameter, a list of them, or a text. */
const isBound = (words: readonly string[], column: string): boolean =>
  words.some((word, at) => {
    if (word !== column && !word.endsWith(`.${column}`)) return false;
    const [operator, value, next] = words.slice(at + 1, at + 4);
    if (operator === "in") return value === "(" && isValue(next);
    return operator === "=" && (isValue(value) || (value === "any" && next === "("));
  });

const isValue = (word = ""): boolean => word.startsWith("$") || word === "''";

/** A row does not move to another server. */
function keepsItsServer({ lists }: Parsed): string | undefined {
  for (const list of lists)
    for (const [at, token] of list.entries()) {
      if (token !== "set") continue;
      const end = list.findIndex(
        (word, index) => index > at && (word === "from" || word === "where" || word === "returning"),
      );
      const assigned = list.slice(at + 1, end === -1 ? undefined : end);
      const table = list.slice(0, at).find((word) => typeof word === "string" && isLarge(word));
      const column = typeof table === "string" && isLarge(table) ? largeTables[table] : undefined;
      if (
        column !== undefined &&
        assigned.some(
          (word, index) =>
            word === column && assigned[index + 1] === "=" && (index === 0 || assigned[index - 1] === ","),
        )
      )
        return `it changes ${column}, by which rows lie on a server`;
    }
  return undefined;
}

function conflictsOnItsServer({ lists }: Parsed): string | undefined {
  for (const list of lists) {
    const at = list.indexOf("conflict");
    const into = list[list.indexOf("into") + 1];
    if (at === -1 || typeof into !== "string" || !isLarge(into)) continue;
    const [target, ...rest] = list.slice(at + 1);
    if (Array.isArray(target) && !wordsOf(target).includes(largeTables[into]))
      return `its conflict leaves ${largeTables[into]} out`;
    if (wordsOf(rest).includes("select")) return "a table is asked where its insert conflicts";
  }
  return undefined;
}

/** A limit within a part that is asked for each row of another is refused where it may ask several servers. */
function limitsOnItsServer({ tokens, lists }: Parsed): string | undefined {
  for (const list of lists) {
    if (list === tokens || !list.includes("limit")) continue;
    const words = list.filter((word) => typeof word === "string");
    const large = tablesIn(words).filter(isLarge);
    const missing = columnsOf(large).filter((column) => !isBound(wordsOf(list), column));
    if (missing.length > 0) return `a part with a limit does not name ${missing.join(", ")} = a value`;
  }
  return undefined;
}

const CHANGING =
  /^(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|random|gen_random_uuid|nextval|jsonb?_build_(?:object|array)|to_jsonb?|row_to_json|current_setting|set_config)$/;

/** In an update, functions that are not immutable are refused in these places. */
function immutableWithin({ words, lists }: Parsed): string | undefined {
  const isUpdate = words.some((word, at) => WRITES.has(word) && isLarge(words[at + (word === "delete" ? 2 : 1)] ?? ""));
  if (!isUpdate) return undefined;
  for (const list of lists)
    for (const [at, token] of list.entries()) {
      const part =
        token === "case"
          ? list.slice(at, caseEnd(list, at))
          : token === "coalesce"
            ? list.slice(at + 1, at + 2)
            : token === "returning"
              ? list.slice(at)
              : [];
      const within = wordsOf(part);
      const found = within.find((word, index) => CHANGING.test(word) && within[index + 1] === "(");
      if (found !== undefined) return `it calls ${found} within ${String(token)}`;
    }
  return undefined;
}

function caseEnd(list: Tokens, from: number): number {
  let depth = 0;
  for (let at = from; at < list.length; at++) {
    if (list[at] === "case") depth += 1;
    if (list[at] === "end" && --depth === 0) return at;
  }
  return list.length;
}

/** Else Citus copies the rows, which PostgreSQL refuses under row-level security. */
function insertsWhatReturns({ lists }: Parsed): string | undefined {
  for (const list of lists) {
    const at = list.indexOf("insert");
    const into = list[at + 2];
    if (at === -1 || typeof into !== "string" || !isLarge(into)) continue;
    const selects = list.slice(at).includes("select");
    if (selects && !list.includes("returning") && !list.includes("conflict"))
      return `it inserts into ${into} what it selects, and returns nothing`;
  }
  return undefined;
}

function locksNothingElse({ words }: Parsed): string | undefined {
  if (words.some((word) => word.startsWith("pg_advisory"))) return "it takes an advisory lock";
  return words.includes("recursive") ? "it is recursive" : undefined;
}

/** A string of several statements is repeated as a whole on the other servers. */
function standsAlone({ tokens }: Parsed): string | undefined {
  const at = tokens.indexOf(";");
  return at === -1 || at === tokens.length - 1 ? undefined : "it is a string of several statements";
}
