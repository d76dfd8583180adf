import type { SpanAttributes } from '@thole/core';

/** Returns the attributes of the transport, with the names of OpenTelemetry's conventions. */
export function transportAttributes(isHttp: boolean): SpanAttributes {
  return isHttp ? { 'network.transport': 'tcp', 'network.protocol.name': 'http' } : { 'network.transport': 'pipe' };
}
