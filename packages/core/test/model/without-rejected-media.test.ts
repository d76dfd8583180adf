import { TholeError } from '@thole/core';
import { withoutRejectedMedia } from '@thole/core/kit';
import type { Content } from '@thole/core';
import { describe, expect, it } from 'vitest';

const inlineData = { mimeType: 'image/png', data: 'AAAA', displayName: 'a.png' };
const line = '[A file of type image/png named "a.png" is not shown: this model cannot read it.]';
const answer = { name: 'shot', response: { ok: true } };
const history: Content[] = [
  { role: 'user', parts: [{ text: 'Look.' }, { inlineData }] },
  { role: 'model', parts: [{ functionCall: { name: 'shot', args: {} } }] },
  {
    role: 'user',
    parts: [{ functionResponse: { ...answer, parts: [{ inlineData }, { fileData: { fileUri: 'gs://a/b' } }] } }],
  },
  { role: 'model', parts: [{ inlineData, thoughtSignature: 'c2ln', partMetadata: { provider: 'gemini' } }] },
  { role: 'user', parts: [{ inlineData }] },
];
const refusal = (message: string, details = {}): TholeError =>
  new TholeError('MODEL_BAD_REQUEST', message, { details });

describe('withoutRejectedMedia', () => {
  it.each([
    refusal('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum'),
    refusal('Could not process image'),
    refusal('Cannot fetch content from the provided URL.'),
    new TholeError('MODEL_AUTH', 'You do not have permission to access the File a1 or it may not exist.'),
    refusal('The PDF specified was not valid.'),
    refusal('Request payload size exceeds the limit: 20971520 bytes.'),
    refusal('Invalid value.', { param: 'input[0].content[1].image_url' }),
    refusal('Invalid value.', { code: 'image_parse_error' }),
  ])('replaces the files outside the newest message after "$message"', (error) => {
    const contents = withoutRejectedMedia(error, history)!;
    expect(contents.map(({ parts }) => parts)).toEqual([
      [{ text: 'Look.' }, { text: line }],
      history[1]!.parts,
      [
        {
          functionResponse: {
            ...answer,
            parts: [
              { inlineData: { ...inlineData, data: '' } },
              { inlineData: { mimeType: 'application/octet-stream', data: '' } },
            ],
          },
        },
      ],
      [{ text: line }],
      [{ inlineData }],
    ]);
    expect(withoutRejectedMedia(error, contents)).toBeUndefined();
  });

  it('returns undefined for other errors, and without files in earlier messages', () => {
    expect(withoutRejectedMedia(refusal('See the documentation of max_tokens.'), history)).toBeUndefined();
    expect(withoutRejectedMedia(new TholeError('MODEL_AUTH', 'No image for you.'), history)).toBeUndefined();
    expect(withoutRejectedMedia(refusal('Could not process image'), history.slice(4))).toBeUndefined();
  });
});
