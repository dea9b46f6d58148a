import { ArrowDown, ArrowUp } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import type { Listed } from "../lib/lists.ts";
import { Button } from "./button.tsx";
import { plural } from "../lib/format.ts";

export interface Column<T> {
  id: string;
  head: ReactNode;
  cell: (item: T) => ReactNode;
  align?: "right";
  /** Left out where the screen is narrow; `"most"` before the others. */
  wide?: boolean | "most";
  className?: string;
  /** The column orders the list, or would. */
  sort?: { direction: "ascending" | "descending" | undefined; toggle: () => void };
}

const hiddenBelow = (wide: boolean | "most" = false): string =>
  wide === "most" ? "max-lg:hidden" : wide ? "max-md:hidden" : "";

/** `j`, `k` and the arrows go from the first link of a row to that of the next one; Enter follows it. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const rows = [...event.currentTarget.querySelectorAll("tbody > tr")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step];
  next?.querySelector<HTMLElement>("a[href], button")?.focus();
  event.preventDefault();
}

/** A list of things: as wide as its place, scrolled by itself when there is no room. */
export function Table<T>({
  label,
  columns,
  items,
  keyOf,
  isSelected,
}: {
  label: string;
  columns: Column<T>[];
  items: readonly T[];
  keyOf: (item: T) => string;
  isSelected?: (item: T) => boolean;
}) {
  return (
    <div
      // What is hidden from the eye is placed within it, and makes no page wider.
      className="card relative overflow-x-auto"
      tabIndex={0}
      role="region"
      aria-label={label}
      data-rows=""
      onKeyDown={onKeyDown}
    >
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            {columns.map((column) => (
              <Head key={column.id} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr
              key={keyOf(item)}
              className={`border-b border-line last:border-b-0 hover:bg-raised/60 ${isSelected?.(item) === true ? "bg-raised" : ""}`}
            >
              {columns.map(({ id, cell, align, wide, className = "" }) => (
                <td
                  key={id}
                  className={`px-3 py-2.5 align-middle md:px-3.5 ${align === "right" ? "text-right whitespace-nowrap" : ""} ${hiddenBelow(wide)} ${className}`}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head<T>({ column: { head, align, wide, sort } }: { column: Column<T> }) {
  return (
    <th
      scope="col"
      aria-sort={sort?.direction}
      className={`px-3 py-2 font-medium md:px-3.5 whitespace-nowrap ${align === "right" ? "text-right" : ""} ${hiddenBelow(wide)}`}
    >
      {sort === undefined ? (
        head
      ) : (
        <SortButton {...sort} isReversed={align === "right"}>
          {head}
        </SortButton>
      )}
    </th>
  );
}

/** Beside numbers the arrow stands before the head, which ends where they end. */
function SortButton({
  direction,
  toggle,
  isReversed,
  children,
}: NonNullable<Column<unknown>["sort"]> & { isReversed: boolean; children: ReactNode }) {
  const Icon = direction === "ascending" ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={toggle}
      className={`inline-flex items-center gap-1 rounded align-bottom font-medium hover:text-ink ${isReversed ? "flex-row-reverse" : ""} ${direction === undefined ? "" : "text-ink"}`}
    >
      {children}
      <Icon aria-hidden size={12} className={direction === undefined ? "opacity-0" : ""} />
    </button>
  );
}

/** The next page of a list. */
export function More({
  list,
  children = "Show more",
}: {
  list: Pick<Listed<unknown>, "hasMore" | "isLoadingMore" | "loadMore">;
  children?: string;
}) {
  if (!list.hasMore) return null;
  return (
    <Button className="self-center" isBusy={list.isLoadingMore} onClick={list.loadMore}>
      {children}
    </Button>
  );
}

/** What has come since the list was drawn. */
export function Newer({ list, one }: { list: Pick<Listed<unknown>, "newCount" | "showNew">; one: string }) {
  if (list.newCount === 0) return null;
  return (
    <Button className="self-start" onClick={list.showNew}>
      {plural(list.newCount, `new ${one}`)}
    </Button>
  );
}

/** Finds things by how their name begins. */
export function NameFilter({ value, onChange }: { value: string | undefined; onChange: (name: string) => void }) {
  return (
    <input
      aria-label="Name begins with"
      type="search"
      className="input sm:w-44!"
      placeholder="Name begins with…"
      value={value ?? ""}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
