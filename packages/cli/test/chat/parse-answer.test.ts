import { describe, expect, it } from 'vitest';
import { parseAnswer, signInAddress } from '../../src/chat/parse-answer.ts';

const authUri = 'https://id.example/authorize?state=s';
const signIn = { exchangedAuthCredential: { authType: 'oauth2', oauth2: { authUri } } };

describe('parseAnswer', () => {
  it.each([
    [{ kind: 'confirmation' }, ' Yes ', true],
    [{ kind: 'confirmation' }, 'n', false],
    [{ kind: 'confirmation' }, '{"confirmed":true,"payload":1}', { confirmed: true, payload: 1 }],
    [{ kind: 'input' }, '3', 3],
    [{ kind: 'input' }, 'two words', 'two words'],
    [{ kind: 'input', responseSchema: { type: 'string' } }, '3', '3'],
    [{ kind: 'longRunning' }, '{"a":1}', { a: 1 }],
    [{ kind: 'credential' }, 'secret', { exchangedAuthCredential: { authType: 'apiKey', apiKey: 'secret' } }],
    [
      { kind: 'credential', payload: { authScheme: { type: 'http', scheme: 'bearer' } } },
      'a:token',
      { exchangedAuthCredential: { authType: 'http', http: { scheme: 'bearer', credentials: { token: 'a:token' } } } },
    ],
    [
      { kind: 'credential', payload: { authScheme: { type: 'http', scheme: 'Basic' } } },
      'ada:a:b',
      {
        exchangedAuthCredential: {
          authType: 'http',
          http: { scheme: 'Basic', credentials: { username: 'ada', password: 'a:b' } },
        },
      },
    ],
    [
      { kind: 'credential', payload: signIn },
      ' http://127.0.0.1/?code=1&state=s ',
      { authResponseUri: 'http://127.0.0.1/?code=1&state=s', redirectUri: 'http://127.0.0.1' },
    ],
    [{ kind: 'credential', payload: signIn }, '{"error":"access_denied"}', { error: 'access_denied' }],
  ] as const)('returns for %j and %j the answer %j', (interrupt, text, value) => {
    expect(parseAnswer(interrupt as never, text)).toEqual(value);
  });

  it.each([
    [{ kind: 'confirmation' }, 'perhaps'],
    [{ kind: 'confirmation' }, '[1]'],
    [{ kind: 'credential', payload: signIn }, 'code=1'],
    [{ kind: 'credential', payload: { authScheme: { type: 'http', scheme: 'basic' } } }, 'ada'],
  ] as const)('rejects %j and %j with INVALID_INPUT', (interrupt, text) => {
    expect(() => parseAnswer(interrupt as never, text)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

describe('signInAddress', () => {
  it('adds the redirect URI, and keeps an existing redirect URI', () => {
    expect(signInAddress(signIn)).toBe(`${authUri}&redirect_uri=http%3A%2F%2F127.0.0.1`);
    const own = `${authUri}&redirect_uri=https%3A%2F%2Fapp.example%2F`;
    expect(signInAddress({ exchangedAuthCredential: { oauth2: { authUri: own } } })).toBe(own);
    expect(signInAddress({})).toBeUndefined();
  });
});
