import { assertContent } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('assertContent', () => {
  it.each<[unknown]>([
    [{ parts: [{ text: '' }] }],
    [{ parts: [{ inlineData: { mimeType: 'a/b', data: 'a+/-_A\n==\n' } }] }],
    [{ role: 'user', parts: [{ inlineData: { mimeType: 'a/b', data: '' } }, { fileData: { fileUri: 'x' } }] }],
    [
      {
        role: 'model',
        parts: [{ functionCall: { name: 'f', args: {} } }, { functionResponse: { name: 'f', response: {} } }],
      },
    ],
    [{ parts: [{ text: 'a', newer: { b: 1 } }], newer: 1 }],
  ])('accepts the message %j', (content) => {
    expect(() => assertContent(content, 'newMessage')).not.toThrow();
  });

  it.each<[unknown, string]>([
    ['text', 'newMessage must be a string or a Content {role, parts}, got a string.'],
    [null, 'newMessage must be'],
    [{}, 'newMessage.parts must be an array of parts, got undefined.'],
    [{ parts: [] }, 'newMessage.parts must contain at least one part.'],
    [{ role: 'system', parts: [{ text: 'a' }] }, "newMessage.role must be 'user' or 'model'."],
    [{ parts: ['a'] }, 'newMessage.parts[0] must be a part'],
    [{ parts: [{ text: 'a' }, {}] }, 'newMessage.parts[1] must have one of text, functionCall'],
    [{ parts: [{ text: 7 }] }, 'newMessage.parts[0].text must be a string, got a number.'],
    [{ parts: [{ inlineData: { data: '' } }] }, 'newMessage.parts[0].inlineData.mimeType must be a string'],
    [
      { parts: [{ inlineData: { mimeType: 'image/png', data: 'data:image/png;base64,AAAA' } }] },
      'newMessage.parts[0].inlineData.data must be base64 without "data:…;base64," before it.',
    ],
    [
      { parts: [{ inlineData: { mimeType: 'image/png', data: 'ä' } }] },
      'newMessage.parts[0].inlineData.data must be base64.',
    ],
    [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==AA' } }] }, 'inlineData.data must be base64.'],
    [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }] }, 'inlineData.data must be base64.'],
    [
      { parts: [{ functionCall: { name: 'f' } }] },
      'newMessage.parts[0].functionCall.args must be an object, got undefined.',
    ],
    [
      { parts: [{ functionResponse: { name: 'f', response: [] } }] },
      'newMessage.parts[0].functionResponse.response must be an object',
    ],
    [{ parts: [{ functionCall: 'f' }] }, 'newMessage.parts[0].functionCall must be an object, got a string.'],
  ])('rejects %j and names its place (contract 42)', (content, message) => {
    expect(() => assertContent(content, 'newMessage')).toThrow(message);
  });
});
