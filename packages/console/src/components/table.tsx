import type { ReactNode } from "react";

export interface Column<T> {
  id: string;
  head: ReactNode;
  cell: (item: T) => ReactNode;
  align?: "right";
  /** Left out where the screen is narrow. */
  wide?: boolean;
  className?: string;
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
    <div className="card overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line text-xs text-soft">
            {columns.map(({ id, head, align, wide }) => (
              <th
                key={id}
                scope="col"
                className={`px-3.5 py-2 font-medium whitespace-nowrap ${align === "right" ? "text-right" : ""} ${wide === true ? "max-md:hidden" : ""}`}
              >
                {head}
              </th>
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
                  className={`px-3.5 py-2.5 align-middle ${align === "right" ? "text-right whitespace-nowrap" : ""} ${wide === true ? "max-md:hidden" : ""} ${className}`}
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
