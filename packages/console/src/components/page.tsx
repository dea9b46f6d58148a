import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "@tanstack/react-router";
import type { LinkComponentProps } from "@tanstack/react-router";
import { shortCount, visible } from "../lib/format.ts";
import { CodeMenu } from "./menu.tsx";
import type { Request } from "../lib/request.ts";

/** The head of a screen: where it is, what it is, what can be done. Its title names the tab, the specific thing first. */
export function Page({
  title,
  tabTitle,
  trail,
  lead,
  actions,
  menu,
  request,
  children,
}: {
  title: ReactNode;
  tabTitle: string;
  trail?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** One small button, in place of that for `request`: it stays beside the title on a phone. */
  menu?: ReactNode;
  /** How a program reads what the screen shows. */
  request?: Request;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${visible(tabTitle)} · Rowmill`;
  }, [tabTitle]);
  return (
    <div className="mx-auto flex w-full max-w-[1320px] flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <header
        className={`flex items-start justify-between gap-x-6 gap-y-3 ${actions === undefined || actions === false ? "" : "flex-wrap"}`}
      >
        <div className="min-w-0">
          {trail !== undefined && (
            <div className="mb-0.5 flex items-center gap-1 text-soft">
              {trail}
              <ChevronRight aria-hidden size={13} />
            </div>
          )}
          <h1 className="text-xl leading-7 font-semibold tracking-[-0.012em] [overflow-wrap:anywhere]">
            {typeof title === "string" ? visible(title) : title}
          </h1>
          {lead !== undefined && <div className="mt-1 max-w-[80ch] text-pretty text-soft">{lead}</div>}
        </div>
        {menu}
        {(actions !== undefined || request !== undefined) && (
          <div className="flex flex-wrap items-center gap-2">
            {actions}
            {request !== undefined && <CodeMenu request={request} isInPalette />}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  actions,
  children,
  note,
}: {
  title: ReactNode;
  actions?: ReactNode;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2.5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {note !== undefined && <p className="-mt-1.5 max-w-[80ch] text-pretty text-soft">{note}</p>}
      {children}
    </section>
  );
}

/** What a screen without anything on it teaches. */
export function Empty({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <div className="card flex flex-col items-center gap-2 px-6 py-12 text-center">
      <p className="text-base font-semibold">{title}</p>
      <div className="max-w-[80ch] text-balance text-soft">{children}</div>
      {actions !== undefined && actions !== false && (
        <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}

export interface Tab {
  label: string;
  count?: number | undefined;
  /** The present address for the tab that is open. */
  link: Pick<LinkComponentProps, "to" | "params" | "search">;
}

/** Parts of a screen, each with an address of its own. */
export function Tabs({
  label,
  tabs,
  isBySearch = false,
}: {
  label: string;
  tabs: readonly Tab[];
  /** Their addresses differ in their search parameters; else those are the part's own. */
  isBySearch?: boolean;
}) {
  const ref = useRef<HTMLElement>(null);
  const { href } = useLocation();
  useEffect(() => {
    // On a phone the part that is open may lie beyond the edge.
    const nav = ref.current;
    const open = nav?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav !== null && open != null) nav.scrollLeft = open.offsetLeft + open.offsetWidth / 2 - nav.clientWidth / 2;
  }, [href]);
  return (
    <nav ref={ref} aria-label={label} className="relative flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: name, count, link }) => (
        <Link
          key={name}
          {...link}
          activeOptions={{ exact: true, includeSearch: isBySearch }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {name}
          {count !== undefined && <span className="ml-1.5 text-xs text-soft tabular-nums">{shortCount(count)}</span>}
        </Link>
      ))}
    </nav>
  );
}
