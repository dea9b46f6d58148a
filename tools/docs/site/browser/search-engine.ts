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
  concurrency: ["flight"],
  credentials: ["secret", "key"],
  excel: ["csv"],
  crash: ["kill", "dies"],
  gdpr: ["delete", "deleting"],
  helm: ["kubernetes"],
  k8s: ["kubernetes"],
  logging: ["log"],
  login: ["sign"],
  monitoring: ["metrics"],
  pagination: ["cursor", "lists"],
  parallel: ["flight"],
  permission: ["scopes"],
  permissions: ["scopes"],
  postgres: ["postgresql"],
  rbac: ["scopes"],
  restart: ["again", "start"],
  resume: ["continue", "continues"],
  spreadsheet: ["csv"],
  structured: ["schema"],
  ssl: ["tls", "https"],
  streaming: ["stream"],
  team: ["members"],
  telemetry: ["traces"],
  throttling: ["limits"],
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
  backup: "operations/backup",
  csv: "reference/data-types",
  dataset: "concepts",
  docker: "deployment",
  export: "reference/api/exports",
  image: "recipes/images",
  key: "reference/api/api-keys",
  members: "reference/api/members",
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
  webhook: "webhooks",
  webhooks: "webhooks",
};
const TOPIC_WEIGHT = 6;

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
    tokenize,
    searchOptions: {
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
      queries: [word, ...(Object.hasOwn(SYNONYMS, word.toLowerCase()) ? (SYNONYMS[word.toLowerCase()] ?? []) : [])],
    }));
    return engine.search({ combineWith, queries: alike }).map(({ id, terms }) => ({ section: Number(id), terms }));
  };
  return (question) => {
    const typed = tokenize(question);
    const subject = typed.filter((word) => !FILLERS.has(word.toLowerCase()));
    const words = subject.length > 0 ? subject : typed;
    const all = searchFor(words, "AND");
    return all.some(explains) ? all : searchFor(words, "OR");
  };
}
