import type { Attributes } from '@opentelemetry/api';
import type { SpanAttributes } from '@thole/core';

/**
 * Converts attributes to values that OpenTelemetry supports: strings, numbers, booleans and lists of strings. Other values are
 * converted to JSON. Null is left out.
 */
export function toOtelAttributes(attributes: SpanAttributes): Attributes {
  const result: Attributes = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (typeof value !== 'object') result[key] = value;
    else if (isTexts(value)) result[key] = [...value];
    else result[key] = JSON.stringify(value);
  }
  return result;
}

function isTexts(value: object): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
