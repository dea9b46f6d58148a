/**
 * A grid of rows of one height, of which only those in sight exist. Browsers draw nothing taller than some thirty million pixels:
 * beyond `MAX_HEIGHT` the scroll bar is scaled, so that a hundred million rows have one, too.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { Button } from "./button.tsx";

const ROW_HEIGHT = 34;
const HEAD_HEIGHT = 34;
/** Whole rows, so that none is cut where the grid begins. */
const MOST_ROWS_IN_SIGHT = 17;
const MAX_HEIGHT = 12_000_000;
/** Rows drawn beyond each edge, so that scrolling shows no gaps. */
const OVERSCAN = 6;

export interface GridColumn<T> {
  id: string;
  head: ReactNode;
  /** CSS grid track: `80px`, `minmax(160px, 1fr)`. */
  width: string;
  cell: (row: T) => ReactNode;
  align?: "right";
}

export function Grid<T>({
  label,
  count,
  columns,
  rowAt,
  keyAt,
  onSight,
  onOpen,
  startAt = 0,
  openAt,
  minWidth = 720,
}: {
  label: string;
  count: number;
  columns: GridColumn<T>[];
  rowAt: (at: number) => T | undefined;
  keyAt?: (at: number) => string | number;
  /** The rows in sight, to be fetched. */
  onSight: (first: number, last: number) => void;
  onOpen?: (at: number) => void;
  startAt?: number;
  /** The row whose panel is open. */
  openAt?: number | undefined;
  minWidth?: number;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 480 });
  const [active, setActive] = useState(startAt);
  const bodyHeight = Math.min(count * ROW_HEIGHT, MAX_HEIGHT);
  const inSight = Math.max(1, (view.height - HEAD_HEIGHT) / ROW_HEIGHT);
  const isScaled = count * ROW_HEIGHT > MAX_HEIGHT;
  const scrollable = Math.max(1, bodyHeight - (view.height - HEAD_HEIGHT));
  const firstAt = (top: number): number =>
    isScaled ? Math.min(1, top / scrollable) * (count - inSight) : top / ROW_HEIGHT;
  const topOf = (at: number): number => (isScaled ? (at / Math.max(1, count - inSight)) * scrollable : at * ROW_HEIGHT);
  const exact = firstAt(view.top);
  const first = Math.max(0, Math.floor(exact) - OVERSCAN);
  const last = Math.min(count - 1, Math.ceil(exact + inSight) + OVERSCAN);
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };

  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useEffect(() => onSight(Math.max(0, first), Math.max(0, last)), [first, last, onSight]);
  const reveal = useRef<(at: number, center: boolean) => void>(() => {});
  reveal.current = (at, center) => {
    const element = ref.current;
    if (element === null) return;
    if (center) element.scrollTop = topOf(at);
    else if (at < exact + 0.05) element.scrollTop = topOf(at);
    else if (at > exact + inSight - 1) element.scrollTop = topOf(at - inSight + 1);
  };
  useEffect(() => {
    setActive(startAt);
    reveal.current(startAt, true);
  }, [startAt]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== ref.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(inSight) - 1);
    const steps: Record<string, number> = {
      j: 1,
      ArrowDown: 1,
      k: -1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    };
    const step = steps[event.key];
    if (event.key === "Enter" && onOpen !== undefined && count > 0) onOpen(active);
    else if (step !== undefined) {
      const next = Math.min(count - 1, Math.max(0, active + step));
      setActive(next);
      reveal.current(next, false);
      if (openAt !== undefined) onOpen?.(next);
    } else return;
    event.preventDefault();
  }

  const rows: ReactNode[] = [];
  for (let at = first; at <= last; at++) {
    const row = rowAt(at);
    const isActive = at === active;
    rows.push(
      <div
        key={keyAt?.(at) ?? at}
        role="row"
        id={`row-${at}`}
        aria-rowindex={at + 2}
        aria-selected={at === openAt}
        onClick={() => {
          setActive(at);
          onOpen?.(at);
        }}
        className={`absolute inset-x-0 grid items-center border-b border-line ${onOpen === undefined ? "" : "cursor-pointer"} ${at === openAt ? "bg-raised" : "hover:bg-raised/60"} ${isActive ? "group-focus-visible:shadow-[inset_3px_0_0_var(--color-accent)]" : ""}`}
        style={{
          ...tracks,
          height: ROW_HEIGHT,
          top: HEAD_HEIGHT + (isScaled ? view.top + (at - exact) * ROW_HEIGHT : at * ROW_HEIGHT),
        }}
      >
        {columns.map(({ id, cell, align }) => (
          <div
            key={id}
            role="gridcell"
            className={`truncate px-3 ${align === "right" ? "text-right tabular-nums" : ""}`}
          >
            {row === undefined ? <span aria-hidden className="inline-block h-2 w-3/5 rounded bg-raised" /> : cell(row)}
          </div>
        ))}
      </div>,
    );
  }
  return (
    <div
      ref={ref}
      role="grid"
      data-rows=""
      aria-label={label}
      aria-rowcount={count + 1}
      aria-activedescendant={count > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
      className="group card relative overflow-auto"
      style={{ height: HEAD_HEIGHT + Math.min(Math.max(1, count), MOST_ROWS_IN_SIGHT) * ROW_HEIGHT + 2 }}
    >
      <div className="relative" style={{ height: HEAD_HEIGHT + bodyHeight, minWidth }}>
        <div
          role="row"
          aria-rowindex={1}
          className="sticky top-0 z-10 grid items-center border-b border-line bg-surface text-xs font-medium text-soft"
          style={{ ...tracks, height: HEAD_HEIGHT }}
        >
          {columns.map(({ id, head, align }) => (
            <div key={id} role="columnheader" className={`truncate px-3 ${align === "right" ? "text-right" : ""}`}>
              {head}
            </div>
          ))}
        </div>
        {rows}
      </div>
    </div>
  );
}

/** The number of a row leads to it; an empty field to the beginning. */
export function GoToRow({ from, onGo }: { from: string | undefined; onGo: (index: string | undefined) => void }) {
  const [text, setText] = useState(from ?? "");
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onGo(/^\d{1,9}$/.test(text) ? text : undefined);
      }}
    >
      <input
        aria-label="Go to row"
        className="input w-32!"
        inputMode="numeric"
        placeholder="Go to row"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}
