import { TholeError } from '@thole/core';
import {
  mayHaveEncryptedReasoning,
  isFromEndpoint,
  isReasoningRejected,
  withoutEncryptedReasoning,
} from '@thole/core/kit';
import type { Content } from '@thole/core';
import { describe, expect, it } from 'vitest';

const azure = { name: 'azure:hotel.openai.azure.com', earlierNames: ['azure'] };
const refused = (message: string, code = 'bad'): TholeError =>
  new TholeError('MODEL_BAD_REQUEST', message, { details: { code } });

describe('isFromEndpoint', () => {
  it('accepts only parts with the name or an earlier name of the endpoint', () => {
    const areFromAzure = [azure.name, 'azure', 'openai', 'azure:other.openai.azure.com'].map((provider) =>
      isFromEndpoint({ text: 'x', partMetadata: { provider } }, azure),
    );
    expect(areFromAzure).toEqual([true, true, false, false]);
    expect(isFromEndpoint({ text: 'x' }, azure)).toBe(false);
  });
});

describe('withoutEncryptedReasoning', () => {
  it('removes thoughts and signatures, and keeps texts and calls', () => {
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, partMetadata: { provider: azure.name } },
          {
            functionCall: { id: '1', name: 'a', args: {} },
            thoughtSignature: 'AA==',
            partMetadata: { provider: azure.name },
          },
        ],
      },
    ];
    expect(mayHaveEncryptedReasoning(contents, azure)).toBe(true);
    const cleaned = withoutEncryptedReasoning(contents);
    expect(cleaned).toEqual([
      contents[0],
      { role: 'model', parts: [{ functionCall: { id: '1', name: 'a', args: {} } }] },
    ]);
    expect(mayHaveEncryptedReasoning(cleaned, azure)).toBe(false);
  });
});

describe('isReasoningRejected', () => {
  it.each([
    refused('No.', 'invalid_encrypted_content'),
    refused('The encrypted content gAAA… could not be verified.'),
    refused('Thought signature is not valid'),
    refused('Corrupted thought_signature.'),
    refused('messages.1.content.0: Invalid `signature` in `thinking` block'),
  ])('is true for $message', (error) => {
    expect(isReasoningRejected(error)).toBe(true);
  });

  it.each([
    refused('Encrypted content is not supported with this model.'),
    refused("Invalid value: 'frog'."),
    new TholeError('MODEL_AUTH', 'Invalid encrypted content.'),
    new Error('Invalid encrypted content.'),
  ])('is false for $message', (error) => {
    expect(isReasoningRejected(error)).toBe(false);
  });
});
