import protobuf from 'protobufjs';

/** An attribute of a span, a resource or a point of a metric. */
export interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; boolValue?: boolean; intValue?: number; doubleValue?: number };
}

export interface OtlpSpan {
  name: string;
  /** `1` is internal, `3` is a client. */
  kind: number;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  attributes: OtlpAttribute[];
}

export interface OtlpMetric {
  name: string;
  unit: string;
  histogram?: { dataPoints: { attributes: OtlpAttribute[]; count: number }[] };
}

/** The body of a request to `/v1/traces`. */
export interface OtlpTraces {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** The body of a request to `/v1/metrics`. */
export interface OtlpMetrics {
  resourceMetrics: { resource: { attributes: OtlpAttribute[] }; scopeMetrics: { metrics: OtlpMetric[] }[] }[];
}

// The fields of OTLP that tests read. Other fields are skipped.
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    repeated Attribute attributes = 9;
  }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message Metric { string name = 1; string unit = 3; Histogram histogram = 9; }
  message Histogram { repeated Point data_points = 1; }
  message Point { fixed64 count = 4; repeated Attribute attributes = 9; }
  message Resource { repeated Attribute attributes = 1; }
  message Attribute { string key = 1; Value value = 2; }
  message Value {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; }
  }
`);

/** Decodes the body of a request to `/v1/traces`. Throws if it is not protobuf. */
export function decodeTraces(body: Uint8Array): OtlpTraces {
  return decode('Traces', body) as OtlpTraces;
}

/** Decodes the body of a request to `/v1/metrics`. Throws if it is not protobuf. */
export function decodeMetrics(body: Uint8Array): OtlpMetrics {
  return decode('Metrics', body) as OtlpMetrics;
}

function decode(name: string, body: Uint8Array): object {
  const type = root.lookupType(name);
  return type.toObject(type.decode(body), { longs: Number, bytes: String, arrays: true });
}
