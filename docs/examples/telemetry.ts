import { context, diag, DiagConsoleLogger, DiagLogLevel, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ConsoleMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, ConsoleSpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { openTelemetryTracer, traceSessions } from '@thole/runner/otel';
import { InMemorySessionService, Runner, systemRuntime } from 'thole';
import { createClerk } from './clerk.ts';

// Without a logger, OpenTelemetry does not report that a collector cannot be reached.
diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.INFO);

// The exporters send to OTEL_EXPORTER_OTLP_ENDPOINT. Without it, everything is printed.
const hasCollector = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
const resource = resourceFromAttributes({ 'service.name': 'shop' });
const spanExporter = hasCollector ? new OTLPTraceExporter() : new ConsoleSpanExporter();
const metricExporter = hasCollector ? new OTLPMetricExporter() : new ConsoleMetricExporter();

const tracerProvider = new TracerProvider({
  resource,
  spanProcessors: [new BatchSpanProcessor({ exporter: spanExporter })],
});
const meterProvider = new MeterProvider({
  resource,
  readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })],
});
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(tracerProvider);
metrics.setGlobalMeterProvider(meterProvider);

const runtime = systemRuntime({ tracer: openTelemetryTracer({ metrics: { tokens: true } }) });
const sessionService = traceSessions(new InMemorySessionService({ runtime }), runtime);
const runner = new Runner({ appName: 'shop', agent: createClerk(), sessionService, runtime });

const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Where is order 1042?' });
console.log(text);

await runner.close();
const notSent = (error: unknown): void => diag.error('The last spans or metrics were not sent.', error);
await Promise.all([tracerProvider.shutdown().catch(notSent), meterProvider.shutdown().catch(notSent)]);
