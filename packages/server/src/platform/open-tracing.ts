/** The SDK of OpenTelemetry and its exporter (OTLP over HTTP): loaded only where a collector is named. */
import { SpanKind } from "@opentelemetry/api";
import type { SpanContext } from "@opentelemetry/api";
import type { Log } from "./log.ts";
import { createTracing } from "./tracing.ts";
import type { Tracing } from "./tracing.ts";

export interface TracingSettings {
  /** Base address of the collector. */
  endpoint: string;
  /** Parts of what begins here, 0 to 1. A request that brings a trace follows its caller's choice. */
  requests: number;
  rows: number;
  hasGenAi: boolean;
  version: string;
  role: string;
}

/** A stop waits no longer for a collector that does not respond. */
const EXPORT_TIMEOUT_MS = 5_000;

export async function openTracing(settings: TracingSettings, log: Log): Promise<Tracing> {
  const [sdk, { OTLPTraceExporter }, { defaultResource, detectResources, envDetector, resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  const random = new sdk.RandomIdGenerator();
  const ratio = new sdk.TraceIdRatioBasedSampler(settings.requests);
  let next: SpanContext | undefined;
  const own = resourceFromAttributes(attributesOf(settings));
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, "")}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new sdk.TracerProvider({
    // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME come last.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new sdk.ParentBasedSampler({
      root: {
        // Each run has a span: rows that are chosen in any process need their parent.
        shouldSample: (context, traceId, _name, kind) =>
          kind === SpanKind.INTERNAL
            ? { decision: sdk.SamplingDecision.RECORD_AND_SAMPLED }
            : ratio.shouldSample(context, traceId),
        toString: () => `runs, and of the rest ${settings.requests}`,
      },
    }),
    idGenerator: {
      generateTraceId: () => next?.traceId ?? random.generateTraceId(),
      generateSpanId: () => next?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
  });
  return createTracing({
    tracer: provider.getTracer("rowmill", settings.version),
    withIds(ids, start) {
      next = ids;
      try {
        return start();
      } finally {
        next = undefined;
      }
    },
    rows: settings.rows,
    hasGenAi: settings.hasGenAi,
    async stop() {
      try {
        await provider.shutdown();
      } catch (error) {
        log.warn({ err: error }, "the last spans could not be sent");
      }
    },
  });
}

const attributesOf = ({ version, role }: TracingSettings) => ({
  "service.name": "rowmill",
  "service.version": version,
  "rowmill.role": role,
});
