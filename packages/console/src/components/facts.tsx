import type { ReactNode } from "react";

type Fact = readonly [name: string, value: ReactNode];

/** Names and values: under each other in a panel, side by side where there is a page's width. What is undefined is left out. */
export function Facts({ facts, across = false }: { facts: readonly Fact[]; across?: boolean }) {
  const shown = facts.filter(([, value]) => value !== undefined);
  if (across)
    return (
      <dl className="grid grid-cols-2 gap-x-8 gap-y-3 sm:grid-cols-3 lg:grid-cols-4">
        {shown.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="mb-0.5 text-xs text-soft">{name}</dt>
            <dd className="[overflow-wrap:anywhere] [&>button]:-ml-1">{value}</dd>
          </div>
        ))}
      </dl>
    );
  return (
    <dl className="grid grid-cols-[minmax(96px,auto)_1fr] gap-x-5 gap-y-1.5">
      {shown.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere] [&>button]:-ml-1">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
