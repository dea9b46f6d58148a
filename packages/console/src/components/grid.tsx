/**
 * A grid of rows of one height, of which only those in sight exist (`grid-scroll.ts`).
 * Where the place is narrow, each row is a card: its values stand under each other instead of beyond the edge.
 */
import { useEffect, useRef, useState } from "react";
import type { CSSProperties, KeyboardEvent, ReactNode } from "react";
import { useScroll } from "./grid-scroll.ts";
import type { Scroll } from "./grid-scroll.ts";

const ROW_HEIGHT = 34;
const HEAD_HEIGHT = 34;
/** Whole rows, so that none is cut where the grid begins. */
const MOST_ROWS_IN_SIGHT = 17;
/** Below this width, columns beside each other would be cut off or scrolled sideways. */
const CARDS_BELOW_PX = 560;
const MOST_CARDS_IN_SIGHT = 5;
const LINE_HEIGHT = 20;
/** Above the first line of a card and below its last one, with its border. */
const CARD_EDGES = 25;
const LINES_GAP = 4;
/** Rows drawn beyond each edge, so that scrolling shows no gaps. */
const OVERSCAN = 6;

export interface GridColumn<T> {
  id: string;
  head: ReactNode;
  /** CSS grid track: `80px`, `minmax(160px, 1fr)`. */
  width: string;
  cell: (row: T) => ReactNode;
  align?: "right";
  /** Where the value stands on a card: in its first line, at the end of that, or under it in as many lines. Elsewhere it is left out. */
  card?: "head" | "end" | 1 | 2;
}

/** Of a hundred million, the last row that a dataset may have. */
export const ROW_NUMBER_WIDTH = "108px";

interface GridProps<T> {
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
  /** The rows are those of before, and others are on their way. */
  isStale?: boolean;
}

export function Grid<T>(props: GridProps<T>) {
  const { label, count, columns, rowAt, keyAt, onSight, onOpen, openAt, isStale = false } = props;
  const scroll = useScroll((width) => ({ count, ...heightsOf(width, columns) }));
  const { ref, width, rowHeight, headHeight, bodyHeight, inSight, at: exact } = scroll;
  const isCards = width < CARDS_BELOW_PX;
  const first = Math.max(0, Math.floor(exact) - OVERSCAN);
  const last = Math.min(count - 1, Math.ceil(exact + inSight) + OVERSCAN);

  useEffect(() => onSight(Math.max(0, first), Math.max(0, last)), [first, last, onSight]);
  const { active, setActive, onKeyDown } = useActiveRow(scroll, props);

  const rows: ReactNode[] = [];
  for (let at = first; at <= last; at++)
    rows.push(
      <Row
        key={keyAt?.(at) ?? at}
        at={at}
        row={rowAt(at)}
        columns={columns}
        isActive={at === active}
        isOpen={at === openAt}
        canOpen={onOpen !== undefined}
        onClick={() => {
          setActive(at);
          onOpen?.(at);
        }}
        isCard={isCards}
        height={rowHeight}
        top={scroll.topOf(at)}
      />,
    );
  return (
    <div
      ref={ref}
      role="grid"
      data-rows=""
      aria-label={label}
      aria-rowcount={count + 1}
      aria-busy={isStale}
      aria-activedescendant={count > 0 ? `row-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={scroll.onScroll}
      className="group card relative overflow-auto transition-opacity delay-200 aria-busy:opacity-50"
      style={{
        height:
          headHeight + Math.min(Math.max(1, count), isCards ? MOST_CARDS_IN_SIGHT : MOST_ROWS_IN_SIGHT) * rowHeight + 2,
      }}
    >
      <div
        className="relative"
        style={{ height: headHeight + bodyHeight, minWidth: isCards ? 0 : minWidthOf(columns) }}
      >
        {!isCards && <Head columns={columns} />}
        {rows}
      </div>
    </div>
  );
}

/** The row that keys move from: where the grid starts, the one that was opened last, or where the keys have led. */
function useActiveRow(
  scroll: Scroll,
  { count, onOpen, startAt = 0, openAt }: Pick<GridProps<never>, "count" | "onOpen" | "startAt" | "openAt">,
) {
  const [active, setActive] = useState(startAt);
  const reveal = useRef(scroll.reveal);
  reveal.current = scroll.reveal;
  useEffect(() => {
    setActive(startAt);
    scroll.show(startAt);
  }, [startAt]);
  useOpened(openAt, (at) => {
    setActive(at);
    reveal.current(at);
  });

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target !== scroll.ref.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = stepOf(event.key, scroll.inSight, count);
    if (event.key === "Enter" && onOpen !== undefined && count > 0) onOpen(active);
    else if (step !== undefined) {
      const next = Math.min(count - 1, Math.max(0, active + step));
      setActive(next);
      reveal.current(next);
      if (openAt !== undefined) onOpen?.(next);
    } else return;
    event.preventDefault();
  }
  return { active, setActive, onKeyDown };
}

/** How many rows a key moves by, or undefined where it moves nothing. */
function stepOf(key: string, inSight: number, count: number): number | undefined {
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
  return steps[key];
}

/** A panel leads from row to row: the keys continue from the last one when it is closed. */
function useOpened(openAt: number | undefined, onOpened: (at: number) => void): void {
  const opened = useRef(onOpened);
  opened.current = onOpened;
  useEffect(() => {
    if (openAt !== undefined && openAt >= 0) opened.current(openAt);
  }, [openAt]);
}

function heightsOf(width: number, columns: readonly { card?: GridColumn<never>["card"] }[]) {
  if (width >= CARDS_BELOW_PX) return { rowHeight: ROW_HEIGHT, headHeight: HEAD_HEIGHT };
  const lines = columns.flatMap(({ card }) => (typeof card === "number" ? [card] : []));
  const linesHeight = lines.reduce((sum, count) => sum + LINES_GAP + LINE_HEIGHT * count, 0);
  return { rowHeight: CARD_EDGES + LINE_HEIGHT + linesHeight, headHeight: 0 };
}

/** Each column as narrow as it may be; beyond, the grid is scrolled sideways. */
const minWidthOf = (columns: readonly { width: string }[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), 0);

const tracksOf = (columns: readonly { width: string }[]): CSSProperties => ({
  gridTemplateColumns: columns.map(({ width }) => width).join(" "),
});

function Head<T>({ columns }: { columns: readonly GridColumn<T>[] }) {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="sticky top-0 z-10 grid items-center border-b border-line bg-surface text-xs font-medium text-soft"
      style={{ ...tracksOf(columns), height: HEAD_HEIGHT }}
    >
      {columns.map(({ id, head, align }) => (
        <div key={id} role="columnheader" className={`truncate px-3 ${align === "right" ? "text-right" : ""}`}>
          {head}
        </div>
      ))}
    </div>
  );
}

/** A row, or its card where the place is narrow. */
function Row<T>({
  at,
  row,
  columns,
  isActive,
  isOpen,
  canOpen,
  onClick,
  isCard,
  height,
  top,
}: {
  at: number;
  row: T | undefined;
  columns: GridColumn<T>[];
  isActive: boolean;
  isOpen: boolean;
  canOpen: boolean;
  onClick: () => void;
  isCard: boolean;
  height: number;
  /** From the beginning of the grid. */
  top: number;
}) {
  return (
    <div
      role="row"
      id={`row-${at}`}
      aria-rowindex={at + 2}
      aria-selected={isOpen}
      onClick={onClick}
      className={`absolute inset-x-0 border-b border-line ${isCard ? "flex flex-col gap-1 px-4 py-3" : "grid items-center"} ${canOpen ? "cursor-pointer" : ""} ${isOpen ? "bg-raised" : "hover:bg-raised/60"} ${isActive ? "group-focus-visible:shadow-[inset_3px_0_0_var(--color-accent)]" : ""}`}
      style={{ ...(isCard ? {} : tracksOf(columns)), height, top }}
    >
      {isCard ? (
        <Card columns={columns} row={row} />
      ) : (
        columns.map(({ id, cell, align }) => (
          <div
            key={id}
            role="gridcell"
            className={`truncate px-3 ${align === "right" ? "text-right tabular-nums" : ""}`}
          >
            {row === undefined ? <Expected /> : cell(row)}
          </div>
        ))
      )}
    </div>
  );
}

/** In place of a value that is still on its way. */
const Expected = () => <span aria-hidden className="inline-block h-2 w-3/5 rounded bg-raised" />;

/** The values of a row under each other, each after the name of its column; its number and state come first. */
function Card<T>({ columns, row }: { columns: GridColumn<T>[]; row: T | undefined }) {
  const at = (place: GridColumn<T>["card"]): GridColumn<T>[] => columns.filter(({ card }) => card === place);
  return (
    <>
      <div className="flex h-5 items-center gap-3">
        {at("head").map(({ id, head, cell }, i) => (
          <div key={id} role="gridcell" className="whitespace-nowrap tabular-nums">
            {i === 0 && <span className="text-soft">{head} </span>}
            {row === undefined ? <Expected /> : cell(row)}
          </div>
        ))}
        {at("end").map(({ id, head, cell }) => (
          <div key={id} role="gridcell" className="ml-auto truncate text-soft tabular-nums">
            {row !== undefined && (
              <>
                {head} {cell(row)}
              </>
            )}
          </div>
        ))}
      </div>
      {columns.map(({ id, head, cell, card }) =>
        typeof card === "number" ? (
          <div
            key={id}
            role="gridcell"
            className="grid shrink-0 grid-cols-[76px_minmax(0,1fr)] gap-x-2 leading-5"
            style={{ height: LINE_HEIGHT * card }}
          >
            <span className="truncate text-soft">{head}</span>
            <span className={card === 1 ? "truncate" : "line-clamp-2 [overflow-wrap:anywhere]"}>
              {row === undefined ? <Expected /> : cell(row)}
            </span>
          </div>
        ) : null,
      )}
    </>
  );
}
