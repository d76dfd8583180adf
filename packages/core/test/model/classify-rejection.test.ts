import { classifyRejection } from '@thole/core/kit';
import type { RejectionDetails, RejectionKind } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('classifyRejection', () => {
  it.each<[RejectionDetails, RejectionKind]>([
    [{ status: 400, code: 'string_above_max_length' }, { code: 'MODEL_CONTEXT_TOO_LONG' }],
    [{ status: 413, type: 'request_too_large' }, { code: 'MODEL_CONTEXT_TOO_LONG' }],
    [{ status: 422, message: 'Please reduce the length of the prompt.' }, { code: 'MODEL_CONTEXT_TOO_LONG' }],
    [{ status: 429, message: 'Too many tokens per minute.' }, { code: 'MODEL_RATE_LIMITED' }],
    [
      { status: 429, code: 'insufficient_quota' },
      { code: 'MODEL_RATE_LIMITED', retryable: false },
    ],
    [{ status: 402 }, { code: 'MODEL_RATE_LIMITED', retryable: false }],
    [{ status: 400, message: 'API key not valid.' }, { code: 'MODEL_AUTH' }],
    [{ status: 400, code: 'content_filter' }, { code: 'MODEL_BLOCKED' }],
    [{ status: 400 }, { code: 'MODEL_BAD_REQUEST' }],
    [{ status: 200, type: 'overloaded_error' }, { code: 'MODEL_OVERLOADED' }],
    [{ status: 200, message: 'Rate limit reached.' }, { code: 'MODEL_RATE_LIMITED' }],
    [{ status: 200, message: 'Something else.' }, { code: 'MODEL_FAILED' }],
  ])('classifies %j as %j', (details, kind) => {
    expect(classifyRejection(details)).toEqual(kind);
  });
});
