/** What comes first for which words. Without a browser, so that tests search as readers do. */
import MiniSearch from "minisearch";
import type { SearchDocument } from "../search-format.ts";

interface Entry {
  id: number;
  page: string;
  title: string;
  excerpt: string;
  words: string;
}

export interface Found {
  /** Of a section in `sections` of the document. */
  section: number;
  /** The words of the section that matched. */
  terms: string[];
}

/** Words that readers bring along, and those that the pages have for the same. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  access: ["scopes"],
  availability: ["standby"],
  concurrency: ["flight"],
  credentials: ["secret", "key"],
  excel: ["csv"],
  crash: ["kill", "dies"],
  downgrade: ["upgrade"],
  erase: ["delete"],
  firewall: ["egress", "network"],
  forgot: ["lost"],
  forgotten: ["lost"],
  gdpr: ["delete", "deleting"],
  hardware: ["processor"],
  helm: ["kubernetes"],
  https: ["tls"],
  k8s: ["kubernetes"],
  large: ["resumable"],
  logging: ["log"],
  login: ["sign"],
  max: ["limit"],
  maximum: ["limit"],
  monitoring: ["metrics"],
  pagination: ["cursor", "lists"],
  parallel: ["flight"],
  permission: ["scopes"],
  permissions: ["scopes"],
  postgres: ["postgresql"],
  private: ["inside"],
  quota: ["limit", "limits"],
  rbac: ["scopes"],
  remove: ["delete"],
  requirements: ["needs"],
  restart: ["again", "start"],
  resume: ["continue", "continues"],
  size: ["bytes"],
  spreadsheet: ["csv"],
  structured: ["schema"],
  ssl: ["tls", "https"],
  sso: ["sign"],
  streaming: ["stream"],
  stuck: ["nothing", "waits"],
  team: ["members"],
  telemetry: ["traces"],
  throttling: ["limits"],
  update: ["upgrade"],
  users: ["members"],
  vision: ["image"],
};

/** Words of a question that say nothing about its subject. */
const FILLERS: ReadonlySet<string> = new Set(
  "a after an and are as at be by can do does for from get how i if in is it like me much my of on or should so that the then there this to use using want we what when where which why with without you your".split(
    " ",
  ),
);

/** Words of many sections, and the page that explains them. */
const TOPICS: Readonly<Record<string, string>> = {
  alert: "reference/api/alerts",
  alerts: "reference/api/alerts",
  audit: "reference/api/audit-events",
  backup: "operations/backup",
  budget: "concepts",
  cors: "operations/configure",
  csv: "reference/data-types",
  dataset: "concepts",
  docker: "deployment",
  egress: "operations/configure",
  export: "reference/api/exports",
  firewall: "operations/configure",
  https: "deployment",
  image: "recipes/images",
  key: "reference/api/api-keys",
  members: "reference/api/members",
  memory: "operations/run",
  model: "quickstart",
  ollama: "processors",
  openai: "quickstart",
  python: "python",
  retry: "recipes/retry-a-prompt",
  run: "concepts",
  postgres: "operations/configure",
  schema: "recipes/extract",
  scopes: "reference/api",
  signature: "recipes/receive-webhooks",
  timeout: "processors",
  tls: "deployment",
  upload: "use-the-api",
  webhook: "webhooks",
  webhooks: "webhooks",
};
const TOPIC_WEIGHT = 6;

/** Where fewer sections have all of the words, those with some of them follow. */
const ENOUGH = 4;

/** Verbs and nouns of one stem differ in their ends: "rotate", "rotating", "rotation". The search finds what begins with the stem. */
const ENDS = /(?:ations?|ating|ated|ates?|ings?|ions?|ed|es|s|e)$/u;
const SHORTEST_STEM = 4;

/** Pages that mention every word and explain none. */
const LOGBOOKS: ReadonlySet<string> = new Set(["changelog", "contributing"]);

/** Sections with all of the words, best first; with some of them where no page that explains has all. */
export function createSearch({ pages, sections }: SearchDocument): (words: string) => Found[] {
  const weightOf = (id: number): number => {
    const [at = 0, , title] = sections[id] ?? [];
    const [address = "", , part] = pages[at] ?? [];
    if (LOGBOOKS.has(address)) return 0.3;
    // Pages of the guide come before decisions that only mention the words, and what a page is about before its parts.
    return (part === "Why" ? 0.5 : 1) * (title === "" ? 1.6 : 1);
  };
  const tokenize = (text: string): string[] =>
    text.split(/[^\p{L}\p{N}_.-]+|[.-]+(?=\s|$)/u).filter((word) => word !== "");
  const engine = new MiniSearch<Entry>({
    fields: ["title", "page", "excerpt", "words"],
    // A setting or a code is found by its parts, too: ROWMILL_LOG_LEVEL by "log level".
    tokenize: (text) => tokenize(text).flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word])),
    searchOptions: {
      tokenize,
      boost: { title: 4, page: 3 },
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id, term) => {
        const [address] = pages[sections[Number(id)]?.[0] ?? 0] ?? [];
        const isTopic = Object.hasOwn(TOPICS, term) && TOPICS[term] === address;
        return weightOf(Number(id)) * (isTopic ? TOPIC_WEIGHT : 1);
      },
    },
  });
  engine.addAll(
    sections.map(([page, , title, excerpt, words], id) => ({
      id,
      page: pages[page]?.[1] ?? "",
      title,
      excerpt,
      words,
    })),
  );
  const explains = ({ section }: Found): boolean => {
    const [address = "", , part = ""] = pages[sections[section]?.[0] ?? -1] ?? [];
    return !LOGBOOKS.has(address) && part !== "Why";
  };
  const searchFor = (words: readonly string[], combineWith: "AND" | "OR"): Found[] => {
    const alike = words.map((word) => ({
      combineWith: "OR" as const,
      queries: [word, ...stemOf(word), ...synonymsOf(word)],
    }));
    return engine.search({ combineWith, queries: alike }).map(({ id, terms }) => ({ section: Number(id), terms }));
  };
  return (question) => {
    const typed = tokenize(question);
    const subject = typed.filter((word) => !FILLERS.has(word.toLowerCase()));
    const words = subject.length > 0 ? subject : typed;
    const all = searchFor(words, "AND");
    const explaining = all.filter(explains);
    if (explaining.length === 0) return searchFor(words, "OR");
    if (explaining.length >= ENOUGH) return all;
    const known = new Set(explaining.map(({ section }) => section));
    return [...explaining, ...searchFor(words, "OR").filter(({ section }) => !known.has(section))];
  };
}

function stemOf(word: string): string[] {
  const stem = word.toLowerCase().replace(ENDS, "");
  return stem.length < SHORTEST_STEM || stem === word.toLowerCase() || /[\d_.]|^https$/i.test(word) ? [] : [stem];
}

function synonymsOf(word: string): readonly string[] {
  const lower = word.toLowerCase();
  return Object.hasOwn(SYNONYMS, lower) ? (SYNONYMS[lower] ?? []) : [];
}
