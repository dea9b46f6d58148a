/** Where the cells of the map lie on its canvas, and how they are drawn. */
import type { RunMap } from "@rowmill/client";
import { useEffect } from "react";
import type { RefObject } from "react";

export type Cell = RunMap["cells"][number];

const SQUARE = 11;
const GAP = 2;
/** Below this, cells share one line and its whole width. */
const FEW = 100;
const LINE_HEIGHT = 22;

/** Where the cells lie on the canvas: a few share one line and its whole width, many are squares in lines. */
export function layoutOf(cells: readonly Cell[], width: number) {
  const isFew = cells.length <= FEW;
  const perLine = isFew ? cells.length : Math.max(1, Math.floor((width + GAP) / SQUARE));
  const cellWidth = isFew ? width / cells.length : SQUARE;
  const cellHeight = isFew ? LINE_HEIGHT : SQUARE;
  const height = Math.ceil(cells.length / perLine) * cellHeight - (isFew ? 0 : GAP);
  return { isFew, perLine, cellWidth, cellHeight, width, height };
}
type Layout = ReturnType<typeof layoutOf>;

/** Draws the cells, and again where the colors of the page change. */
export function useDrawing(
  ref: RefObject<HTMLCanvasElement | null>,
  cells: readonly Cell[],
  { isFew, perLine, cellWidth, cellHeight, width, height }: Layout,
  at: number | null,
): void {
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (canvas === null || context === null || context === undefined || width === 0) return;
    const draw = (): void => {
      drawCells(canvas, context, cells, { isFew, perLine, cellWidth, cellHeight, width, height }, at);
    };
    draw();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(draw);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    scheme.addEventListener("change", draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", draw);
    };
  }, [cells, width, height, perLine, cellWidth, cellHeight, isFew, at]);
}

function drawCells(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  cells: readonly Cell[],
  { isFew, perLine, cellWidth, cellHeight, width, height }: Layout,
  at: number | null,
): void {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name);
  const [track = "", good = "", bad = "", busy = "", ink = ""] = ["--track", "--good", "--bad", "--busy", "--ink"].map(
    color,
  );
  const outline = (stroke: string, x: number, y: number, w: number, h: number): void => {
    context.globalAlpha = 1;
    context.strokeStyle = stroke;
    context.lineWidth = 2;
    context.strokeRect(x, y, w, h);
  };
  for (const [i, cell] of cells.entries()) {
    const x = (i % perLine) * cellWidth;
    const y = Math.floor(i / perLine) * cellHeight;
    const w = cellWidth - (isFew ? (cellWidth > 6 ? GAP : 0.5) : GAP);
    const h = cellHeight - (isFew ? 0 : GAP);
    context.globalAlpha = 1;
    context.fillStyle = track;
    context.fillRect(x, y, w, h);
    const done = (cell.succeeded + cell.failed) / cell.rows;
    if (done > 0) {
      context.globalAlpha = 0.35 + 0.65 * done;
      context.fillStyle = good;
      context.fillRect(x, y, w, h);
    }
    if (cell.failed > 0) {
      // One failure in a chunk is seen, too.
      const share = Math.max(0.22, cell.failed / Math.max(1, cell.succeeded + cell.failed));
      context.globalAlpha = 1;
      context.fillStyle = bad;
      context.fillRect(x, y + h * (1 - share), w, h * share);
    }
    if (cell.runningChunks > 0) outline(busy, x + 1, y + 1, w - 2, h - 2);
    if (i === at) outline(ink, x, y, w, h);
  }
}
