/** The page of metrics. */
import { metricDefinitions, metricNames } from "@rowmill/server/metric-definitions";
import type { MetricDefinition } from "@rowmill/server/metric-definitions";
import { cell, code, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

export const metricsPage = (): Page => ({
  path: "metrics.md",
  text: `${paragraphs(
    "# Metrics",
    GENERATED,
    "`GET /metrics` has an address of its own and needs no key: `http://127.0.0.1:9464/metrics`, see `ROWMILL_METRICS_HOST` and `ROWMILL_METRICS_PORT` in [settings](settings.md). The format is that of Prometheus. Each process serves it. `deploy/` has a dashboard for Grafana and rules for alerts; [operations](../operations/observe.md#metrics) says what to watch.",
    "## Of one process",
    "They begin at 0 with each process: add up what the processes report.",
    rowsOfKind("process"),
    "## Of the whole installation",
    "Counted in the database, and the same from every process: take the maximum, not the sum.",
    rowsOfKind("installation"),
    "`process_*` and `nodejs_*` are those of the [Prometheus client](https://github.com/siimon/prom-client): memory, processor time, event loop, garbage collection.",
  )}\n`,
});

const rowsOfKind = (of: MetricDefinition["of"]): string =>
  table(
    ["metric", "type", "unit", "labels", "meaning"],
    metricNames
      .filter((name) => metricDefinitions[name].of === of)
      .map((name) => {
        const { type, unit, labels, help }: MetricDefinition = metricDefinitions[name];
        const described = Object.entries(labels).map(([label, values]) => `${code(label)} (${values})`);
        return [code(name), type, unit, cell(described.join(", ")), cell(help)];
      }),
  );
