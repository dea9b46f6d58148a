/** Lists as tables: the newest items, and a line where there are more. */
import type { List } from "@rowmill/client";
import type { Cli } from "./command.ts";
import { formatTable } from "./table.ts";

/** As many as fit a screen. */
export const SHOWN_ITEMS = 20;
/** What the service sends at most at once. */
const PAGE_ITEMS = 1000;

export type Column<T> = readonly [header: string, cell: (item: T) => string | number | null | undefined];

export interface ListView<T> {
  /** A function where they depend on what is shown: it is called for people alone. */
  columns: readonly Column<T>[] | ((shown: readonly T[]) => Promise<readonly Column<T>[]>);
  /** Said where there is nothing. */
  empty: string;
  /** As given by `--limit`. */
  limit?: number | undefined;
}

/** How many a request asks for. */
export const pageSize = (limit: number = SHOWN_ITEMS): number => Math.min(limit, PAGE_ITEMS);

/** Prints the first items of a list: a table for people, `{data, hasMore}` for programs. */
export async function printList<T>(cli: Cli, list: List<T>, view: ListView<T>): Promise<void> {
  const limit = view.limit ?? SHOWN_ITEMS;
  const data: T[] = [];
  let hasMore = false;
  let page = await list;
  for (;;) {
    data.push(...page.data);
    hasMore = page.hasNextPage || data.length > limit;
    if (data.length >= limit || !page.hasNextPage) break;
    page = await page.nextPage();
  }
  const shown = data.slice(0, limit);
  const columns = await columnsOf(cli, view.columns, shown);
  cli.output.result({ data: shown, hasMore }, () =>
    shown.length === 0 ? view.empty : tableOf(cli, shown, columns, true),
  );
  if (hasMore && cli.output.mode === "text") cli.output.note(`More than ${limit}: --limit shows more.`);
}

async function columnsOf<T>(
  cli: Cli,
  columns: ListView<T>["columns"],
  shown: readonly T[],
): Promise<readonly Column<T>[]> {
  if (typeof columns !== "function") return columns;
  return cli.output.mode === "text" ? columns(shown) : [];
}

export function tableOf<T>(cli: Cli, items: readonly T[], columns: readonly Column<T>[], isFirstWhole = false): string {
  const cells = columns.map(([, cell]) => items.map((item) => String(cell(item) ?? "")));
  // A column that is empty takes the place of others.
  const shown = columns.flatMap(([header], at) => {
    const column = cells[at] ?? [];
    return column.some((cell) => cell !== "") ? [{ header, column }] : [];
  });
  return formatTable(
    shown.map(({ header }) => header),
    items.map((_, row) => shown.map(({ column }) => column[row] ?? "")),
    stdoutColumns(cli),
    isFirstWhole,
  );
}

/** Nothing is cut where a program reads. */
export const stdoutColumns = ({ terminal }: Cli): number => (terminal.stdout.isTTY ? terminal.columns : Infinity);

/** One thing: a line for each of its members. Nested values are JSON. */
export function describeThing(cli: Cli, members: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => `${cli.terminal.style("stdout", "dim", name.padEnd(width))}  ${textOf(value)}`)
    .join("\n");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Longer ago, a date says more. */
const MAX_DAYS = 30;
const UNITS: readonly [name: string, seconds: number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
];

/** `3 h ago`. */
export function ago(timestamp: string | null, now: number = Date.now()): string {
  if (timestamp === null) return "never";
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (seconds > MAX_DAYS * 86_400) return timestamp.slice(0, 10);
  const unit = UNITS.find(([, size]) => seconds >= size);
  if (unit === undefined) return "just now";
  return `${Math.floor(seconds / unit[1])} ${unit[0]} ago`;
}
