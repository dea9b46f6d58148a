import { ChevronRight } from "lucide-react";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { CodeMenu } from "./code-menu.tsx";
import type { Request } from "./code-menu.tsx";

/** The head of a screen: where it is, what it is, what can be done. Its title names the tab, the specific thing first. */
export function Page({
  title,
  tabTitle,
  trail,
  lead,
  actions,
  request,
  children,
}: {
  title: ReactNode;
  tabTitle: string;
  trail?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** How a program reads what the screen shows. */
  request?: Request;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${tabTitle} · Rowmill`;
  }, [tabTitle]);
  return (
    <div className="mx-auto flex w-full max-w-[1320px] flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {trail !== undefined && (
            <div className="mb-0.5 flex items-center gap-1 text-soft">
              {trail}
              <ChevronRight aria-hidden size={13} />
            </div>
          )}
          <h1 className="text-xl leading-7 font-semibold tracking-[-0.012em] [overflow-wrap:anywhere]">{title}</h1>
          {lead !== undefined && <div className="mt-1 max-w-[80ch] text-pretty text-soft">{lead}</div>}
        </div>
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
      <div className="max-w-[80ch] text-pretty text-soft">{children}</div>
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
