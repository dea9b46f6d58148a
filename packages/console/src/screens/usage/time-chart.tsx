/**
 * Values by day on a canvas (uPlot), with a line that should not be crossed. The table beside it holds the same for those who do not see
 * it.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type UPlot from "uplot";
import { loadChart } from "../../lib/chart.ts";

const HEIGHT = 220;
const DAY_SECONDS = 86_400;

export interface DayValue {
  /** `2026-11-20`, UTC. */
  day: string;
  value: number;
}

export function TimeChart({
  label,
  days,
  look,
  limit,
  format,
}: {
  label: string;
  days: readonly DayValue[];
  look: "bars" | "line";
  /** Drawn as a dashed line, with its name. */
  limit?: { value: number; name: string } | undefined;
  format: (value: number) => string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLParagraphElement>(null);
  const formatted = useRef(format);
  formatted.current = format;
  const { data: uPlot, error } = useQuery({ queryKey: ["chart"], queryFn: loadChart, staleTime: Infinity });
  const key = JSON.stringify([days, look, limit]);
  useEffect(() => {
    const element = host.current;
    if (element === null || uPlot === undefined) return;
    let chart: UPlot | undefined;
    const draw = (): void => {
      chart?.destroy();
      chart = new uPlot(
        optionsOf(uPlot, element, tip.current, days, look, limit, (value) => formatted.current(value)),
        dataOf(days, limit),
        element,
      );
    };
    draw();
    const resized = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // Colors are read when it is drawn.
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    dark.addEventListener("change", draw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener("change", draw);
      chart?.destroy();
    };
    // What is drawn is in `key`: equal data does not draw it again.
  }, [key, uPlot]);
  return (
    <div className="flex flex-col gap-1">
      <p ref={tip} aria-hidden className="h-5 truncate text-xs text-soft tabular-nums" />
      {error !== null && <p className="text-soft">The chart could not be loaded; the table has the same values.</p>}
      <div ref={host} role="img" aria-label={label} style={{ height: HEIGHT }} className="min-w-0 overflow-hidden" />
    </div>
  );
}

const secondsOf = (day: string): number => Date.parse(day) / 1000;

const dataOf = (days: readonly DayValue[], limit: { value: number } | undefined): UPlot.AlignedData => [
  days.map(({ day }) => secondsOf(day)),
  days.map(({ value }) => value),
  ...(limit === undefined ? [] : [days.map(() => limit.value)]),
];

function optionsOf(
  uPlot: typeof UPlot,
  element: HTMLElement,
  tip: HTMLElement | null,
  days: readonly DayValue[],
  look: "bars" | "line",
  limit: { value: number; name: string } | undefined,
  format: (value: number) => string,
): UPlot.Options {
  const color = (name: string): string => resolve(element, `var(--color-${name})`);
  const [bar, soft, line, bad] = [color("bar-busy"), color("soft"), color("line"), color("bar-bad")];
  const most = Math.max(...days.map(({ value }) => value), limit?.value ?? 0);
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 16, 0, 0],
    cursor: { y: false, points: { show: look === "line" }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_chart, min, max) => [min - DAY_SECONDS / 2, max + DAY_SECONDS / 2] },
      y: { range: [0, most === 0 ? 1 : most * 1.08] },
    },
    axes: axesOf(soft, line, format),
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    series: [
      {},
      look === "bars"
        ? { fill: bar, stroke: bar, width: 0, points: { show: false }, ...barPaths(uPlot) }
        : { stroke: bar, width: 2, fill: `color-mix(in srgb, ${bar} 14%, transparent)`, points: { show: false } },
      ...(limit === undefined ? [] : [{ stroke: bad, width: 1.5, dash: [6, 5], points: { show: false } }]),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx } }) => {
          const at = idx === null || idx === undefined ? undefined : days[idx];
          if (tip !== null) tip.textContent = at === undefined ? "" : `${at.day}: ${format(at.value)}`;
        },
      ],
    },
  };
}

/** Days below, and values at the left. */
function axesOf(ink: string, line: string, format: (value: number) => string): UPlot.Axis[] {
  const axis = {
    stroke: ink,
    font: "11px Inter Variable, sans-serif",
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  return [
    {
      ...axis,
      grid: { show: false },
      size: 30,
      space: 64,
      values: (_chart, splits) => splits.map((at) => dayName(at)),
      incrs: [1, 2, 7, 14, 30, 60].map((count) => count * DAY_SECONDS),
    },
    {
      ...axis,
      size: 62,
      space: 44,
      values: (_chart, splits) => splits.map((value) => (value === 0 ? "0" : format(value))),
    },
  ];
}

function barPaths(uPlot: typeof UPlot): Pick<UPlot.Series, "paths"> {
  const paths = uPlot.paths.bars?.({ size: [0.72, 28], radius: 0.12 });
  return paths === undefined ? {} : { paths };
}

const dayNames = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const dayName = (seconds: number): string => dayNames.format(new Date(seconds * 1000));

/** A canvas knows no variables: the color as the page draws it now. */
function resolve(element: HTMLElement, color: string): string {
  const probe = document.createElement("span");
  probe.style.color = color;
  element.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
