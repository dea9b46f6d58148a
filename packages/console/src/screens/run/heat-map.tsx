/**
 * Where the rows of a run stand: one cell a chunk, or neighbors together where there are more chunks than the map has room for. One
 * canvas, whatever the number of cells; the arrow keys move over it, and Enter leads to the rows.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { useLayoutEffect, useRef, useState } from "react";
import type { KeyboardEvent, RefObject } from "react";
import { rowmill } from "../../lib/client.ts";
import { count, plural, rowNumber } from "../../lib/format.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { isMoving } from "../../lib/runs.ts";
import { layoutOf, useDrawing } from "./heat-map-drawing.ts";
import type { Cell } from "./heat-map-drawing.ts";

const MAX_CELLS = 2000;
const LIVE_MS = 1500;

export function HeatMap({ run, isLive }: { run: Run; isLive: boolean }) {
  const { data } = useQuery({
    queryKey: ["runs", run.id, "map"],
    queryFn: () => rowmill.runs.map(run.id, { cells: MAX_CELLS }),
    refetchInterval: isLive && isMoving(run) ? () => pollEvery(LIVE_MS) : false,
    placeholderData: keepPreviousData,
    // The last look shows the end.
    ...(isLive ? {} : { staleTime: 0 }),
  });
  const cells = data?.cells ?? [];
  return cells.length < 2 ? null : <Canvas run={run} cells={cells} />;
}

function Canvas({ run, cells }: { run: Run; cells: readonly Cell[] }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const width = useWidthAround(ref);
  const [at, setAt] = useState<number | null>(null);
  const navigate = useNavigate();
  const layout = layoutOf(cells, width);
  const { perLine, cellWidth, cellHeight, height } = layout;
  useDrawing(ref, cells, layout, at);

  const indexAt = (x: number, y: number): number | null => {
    const i = Math.floor(y / cellHeight) * perLine + Math.min(perLine - 1, Math.floor(x / cellWidth));
    return i >= 0 && i < cells.length ? i : null;
  };
  const open = (i: number | null): void => {
    const cell = i === null ? undefined : cells[i];
    if (cell === undefined) return;
    void navigate({
      to: "/runs/$runId",
      params: { runId: run.id },
      search: { from: String(cell.firstIndex) },
      resetScroll: false,
    });
  };
  function onKeyDown(event: KeyboardEvent): void {
    const next = indexAfter(event.key, at ?? -1, perLine, cells.length);
    if (event.key === "Enter") open(at);
    else if (next !== undefined) setAt(next);
    else return;
    event.preventDefault();
  }
  const shown = at === null ? undefined : cells[at];
  return (
    <section aria-label="Map of the rows" className="flex flex-col gap-1.5">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Position in the run; Enter shows its rows"
        aria-valuemin={0}
        aria-valuemax={cells.length - 1}
        aria-valuenow={at ?? 0}
        aria-valuetext={describe(cells[at ?? 0])}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
      >
        <canvas
          ref={ref}
          style={{ width, height: Math.max(0, height) }}
          className="block cursor-pointer [--bad:var(--color-bar-bad)] [--busy:var(--color-bar-busy)] [--good:var(--color-bar-good)] [--ink:var(--color-ink)] [--track:var(--color-line)]"
          onMouseMove={({ nativeEvent }) => setAt(indexAt(nativeEvent.offsetX, nativeEvent.offsetY))}
          onMouseLeave={() => setAt(null)}
          onClick={({ nativeEvent }) => open(indexAt(nativeEvent.offsetX, nativeEvent.offsetY))}
        />
      </div>
      <p className="text-xs text-soft tabular-nums">{shown === undefined ? legendOf(cells) : describe(shown)}</p>
    </section>
  );
}

/** The width of the element that has the canvas. */
function useWidthAround(ref: RefObject<HTMLCanvasElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current?.parentElement;
    if (element === null || element === undefined) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Where a key leads to from a cell, within the map; undefined where it leads nowhere. */
function indexAfter(key: string, now: number, perLine: number, length: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowRight: now + 1,
    ArrowLeft: now - 1,
    ArrowDown: now + perLine,
    ArrowUp: now - perLine,
    Home: 0,
    End: length - 1,
  };
  const next = steps[key];
  return next === undefined ? undefined : Math.min(length - 1, Math.max(0, next));
}

function legendOf(cells: readonly Cell[]): string {
  const chunks = cells[0]?.chunks ?? 1;
  const mostRows = Math.max(...cells.slice(0, 50).map(({ rows }) => rows));
  const each = `Each cell is ${chunks === 1 ? "a chunk" : `${count(chunks)} chunks`} of up to ${plural(mostRows, "row")}, in the order of the dataset.`;
  return cells.some(({ failed }) => failed > 0) ? `${each} Red marks rows that failed.` : each;
}

function describe(cell: Cell | undefined): string {
  if (cell === undefined) return "";
  const left = cell.rows - cell.succeeded - cell.failed;
  return [
    `Rows ${rowNumber(cell.firstIndex)} to ${rowNumber(cell.lastIndex)}`,
    `${count(cell.succeeded)} succeeded`,
    ...(cell.failed > 0 ? [`${count(cell.failed)} failed`] : []),
    ...(left > 0 ? [`${count(left)} ${cell.runningChunks > 0 ? "in progress" : "not begun"}`] : []),
  ].join(" · ");
}
