export { openTelemetryTracer } from './open-telemetry-tracer.ts';
export type { OpenTelemetryOptions } from './open-telemetry-tracer.ts';
export type { MetricsOptions } from './metrics-recorder.ts';
export { traceArtifacts } from './trace-artifacts.ts';
export { traceMemory } from './trace-memory.ts';
export { traceSessions } from './trace-sessions.ts';
export type { TracingRuntime } from './traced-service.ts';
