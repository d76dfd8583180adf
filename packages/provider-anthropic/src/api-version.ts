import type { JsonObject } from '@thole/core';
import type { AnthropicConnectionOptions } from './anthropic-options.ts';

/** Sampling settings exist in the earlier version of the API only. */
const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

/** Models that Bedrock serves with the earlier version only: those before Claude 4.7. */
const EARLIER_ON_BEDROCK = /claude-(3|(opus|sonnet|haiku)-4(-[0-6])?(-\d{8}|-v\d|:|$))/;

/**
 * Returns what makes a request one of the earlier version of the API, and an empty object for the current version,
 * which the SDK sends. Requests with sampling settings need the earlier one, and so do older models on Bedrock. Clouds
 * take the version in the body.
 */
export function earlierVersion(
  body: JsonObject,
  { bedrock, vertex }: Pick<AnthropicConnectionOptions, 'bedrock' | 'vertex'>,
): { headers?: { [name: string]: string }; body?: JsonObject } {
  const { model } = body;
  const isOld = bedrock !== undefined && typeof model === 'string' && EARLIER_ON_BEDROCK.test(model);
  if (!isOld && !SAMPLING.some((name) => body[name] !== undefined)) return {};
  if (body['anthropic_version'] !== undefined) return {};
  if (bedrock) return { body: { anthropic_version: 'bedrock-2023-05-31' } };
  if (vertex) return { body: { anthropic_version: 'vertex-2023-10-16' } };
  return { headers: { 'anthropic-version': '2023-06-01' } };
}
