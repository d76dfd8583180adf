export { openTelemetryTracer } from './open-telemetry-tracer.ts';
export type { OpenTelemetryOptions } from './open-telemetry-tracer.ts';
