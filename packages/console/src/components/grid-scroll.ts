/**
 * Where a grid of rows of one height is scrolled to. Browsers draw nothing taller than some thirty million pixels: beyond `MAX_HEIGHT` the
 * scroll bar is scaled, so that a hundred million rows have one, too. A pixel of it is then many rows, so that the row at the upper edge
 * is kept beside it: a jump of the bar leads to the row that has its place, while wheels and fingers move rows by as many pixels as
 * anywhere. The bar takes the place of that row when it rests.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RefObject, UIEvent } from "react";
import { useSettled } from "../lib/settled.ts";

/** Firefox holds the head in its place down to 8,947,848 px (2^29 of its units); beyond, it is scrolled out of sight. */
const MAX_HEIGHT = 8_000_000;
/** More than a wheel, a finger or a page moves at once, and less than a bar of some hundred pixels that is dragged by one of them. */
const JUMP_PX = 4_000;
/** So much of the scaled bar is left before the first and the last row, for wheels and fingers to reach them. */
const MARGIN_PX = 20_000;
/** Longer than between two steps of a wheel or of a finger's momentum, which some browsers end when the bar is set. */
const REST_MS = 200;

export interface Rows {
  count: number;
  rowHeight: number;
  headHeight: number;
}
export interface Position {
  /** Of the scroll bar, in pixels. */
  top: number;
  /** The row at the upper edge, with its fraction where it is cut. */
  at: number;
}

/** How a place of this height shows the rows. */
export function layoutOf({ count, rowHeight, headHeight }: Rows, height: number) {
  const inSight = Math.max(1, (height - headHeight) / rowHeight);
  const isScaled = count * rowHeight > MAX_HEIGHT;
  const bodyHeight = Math.min(count * rowHeight, MAX_HEIGHT);
  const mostTop = Math.max(0, bodyHeight - (height - headHeight));
  const mostAt = Math.max(0, count - inSight);
  const within = (at: number): number => Math.min(mostAt, Math.max(0, at));
  /** Where the bar stands for a row at the upper edge. */
  function topFor(at: number): number {
    if (!isScaled) return within(at) * rowHeight;
    const before = Math.min(MARGIN_PX, within(at) * rowHeight);
    const behind = Math.min(MARGIN_PX, (mostAt - within(at)) * rowHeight);
    return Math.min(mostTop - behind, Math.max(before, (within(at) / mostAt) * mostTop));
  }
  /** The position once the bar stands at `top`. */
  function moved(before: Position, top: number): Position {
    if (!isScaled) return { top, at: top / rowHeight };
    const isJump = Math.abs(top - before.top) > JUMP_PX;
    return { top, at: within(isJump ? (top / mostTop) * mostAt : before.at + (top - before.top) / rowHeight) };
  }
  return { inSight, isScaled, bodyHeight, within, topFor, moved };
}

export interface Scroll {
  ref: RefObject<HTMLDivElement | null>;
  width: number;
  rowHeight: number;
  headHeight: number;
  bodyHeight: number;
  /** How many rows have room, with the fraction of one that is cut. */
  inSight: number;
  at: number;
  /** Of a row, from the beginning of the grid. */
  topOf: (at: number) => number;
  /** Scrolls as far as needed for a row to be in sight. */
  reveal: (at: number) => void;
  /** Scrolls so that a row stands above. */
  show: (at: number) => void;
  onScroll: (event: UIEvent<HTMLElement>) => void;
}

/** `rowsIn`: the rows in a place of this width. */
export function useScroll(rowsIn: (width: number) => Rows): Scroll {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ height: 480, width: Math.min(window.innerWidth, 1280) });
  const [position, setPosition] = useState<Position>({ top: 0, at: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => setSize({ height: element.clientHeight, width: element.offsetWidth });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const rows = rowsIn(size.width);
  const layout = layoutOf(rows, size.height);
  const at = layout.within(layout.moved(position, position.top).at);

  function show(wanted: number): void {
    const element = ref.current;
    if (element === null) return;
    element.scrollTop = layout.topFor(wanted);
    // Where it stands: browsers round it.
    setPosition({ top: element.scrollTop, at: wanted });
  }
  const rested = useSettled(String(at), REST_MS);
  useEffect(() => {
    const element = ref.current;
    if (layout.isScaled && element !== null && Math.abs(layout.topFor(at) - element.scrollTop) >= 1) show(at);
  }, [rested]);

  return {
    ref,
    width: size.width,
    rowHeight: rows.rowHeight,
    headHeight: rows.headHeight,
    bodyHeight: layout.bodyHeight,
    inSight: layout.inSight,
    at,
    topOf: (row) =>
      rows.headHeight + (layout.isScaled ? position.top + (row - at) * rows.rowHeight : row * rows.rowHeight),
    reveal(row) {
      if (row < at + 0.05) show(row);
      else if (row > at + layout.inSight - 1) show(row - layout.inSight + 1);
    },
    show,
    onScroll({ currentTarget }) {
      const top = currentTarget.scrollTop;
      setPosition((before) => layout.moved(before, top));
    },
  };
}
