import type { JsonObject } from '@thole/core';
import type { AnthropicConnectionOptions } from './anthropic-options.ts';

/** Settings that only the earlier version of the API has. */
const SAMPLING_SETTINGS = ['temperature', 'top_p', 'top_k'] as const;

/** Models before Claude 4.7. Bedrock supports them only with the earlier version. */
const EARLIER_ON_BEDROCK = /claude-(3|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8}|-v\d|:|$))/;

/**
 * Returns the header, or on clouds the member of the body, that selects the earlier version of the API. Requests with
 * sampling settings and older models on Bedrock need it. Returns an empty object if the current version is used, which
 * the SDK sends by default.
 */
export function selectEarlierVersion(
  body: JsonObject,
  { bedrock, vertex }: Pick<AnthropicConnectionOptions, 'bedrock' | 'vertex'>,
): { headers?: { [name: string]: string }; body?: JsonObject } {
  const { model } = body;
  const isOld = bedrock !== undefined && typeof model === 'string' && EARLIER_ON_BEDROCK.test(model);
  if (!isOld && !SAMPLING_SETTINGS.some((name) => body[name] !== undefined)) return {};
  if (body['anthropic_version'] !== undefined) return {};
  if (bedrock) return { body: { anthropic_version: 'bedrock-2023-05-31' } };
  if (vertex) return { body: { anthropic_version: 'vertex-2023-10-16' } };
  return { headers: { 'anthropic-version': '2023-06-01' } };
}
