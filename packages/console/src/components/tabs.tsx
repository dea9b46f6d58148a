import { Link } from "@tanstack/react-router";
import type { LinkComponentProps } from "@tanstack/react-router";

export interface Tab {
  label: string;
  count?: number | undefined;
  /** The present address for the tab that is open. */
  link: Pick<LinkComponentProps, "to" | "search">;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: name, count, link }) => (
        <Link
          key={name}
          {...link}
          activeOptions={{ exact: true, includeSearch: true }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {name}
          {count !== undefined && <span className="ml-1.5 text-xs text-soft tabular-nums">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
