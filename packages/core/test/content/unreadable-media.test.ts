import { mediaLine, newestUserContent } from '@thole/core/kit';
import type { Content } from '@thole/core';
import { describe, expect, it } from 'vitest';

const answer: Content = { role: 'user', parts: [{ functionResponse: { name: 'a', response: {} } }] };

describe('newestUserContent', () => {
  it.each<[string, Content[], number]>([
    [
      'the last content of the user',
      [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'user', parts: [{ text: 'b' }] },
      ],
      1,
    ],
    [
      'the content before answers of tools',
      [{ parts: [{ text: 'a' }] }, { role: 'model', parts: [{ text: 'b' }] }, answer],
      0,
    ],
    [
      'the content before what another agent has done',
      [{ parts: [{ text: 'a' }] }, { role: 'user', parts: [{ text: 'Context, from another agent:' }] }],
      0,
    ],
    [
      '-1 if a tool has added contents after its answers',
      [
        { parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ text: 'b' }] },
        answer,
        { parts: [{ text: 'c' }] },
        { parts: [{ text: 'd' }] },
      ],
      -1,
    ],
    ['-1 without a content of the user', [{ role: 'model', parts: [{ text: 'b' }] }, answer], -1],
  ])('returns %s', (_what, contents, expected) => {
    expect(newestUserContent(contents)).toBe(expected);
  });
});

describe('mediaLine', () => {
  it('names the type, and the file if it has a name', () => {
    expect(mediaLine({ mimeType: 'video/mp4', data: 'AAAA', displayName: 'tour "1"].mp4' })).toBe(
      '[A file of type video/mp4 named "tour  1  .mp4" is not shown: this model cannot read it.]',
    );
    expect(mediaLine({ fileUri: 'gs://a/b' })).toBe(
      '[A file of unknown type is not shown: this model cannot read it.]',
    );
  });
});
