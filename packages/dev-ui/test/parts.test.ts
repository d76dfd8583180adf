import { ClientError } from '@thole/client';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../page/conversation/read-answer.ts';
import { suggestionsFor } from '../page/conversation/suggestions-for.ts';
import { keyName } from '../page/keys/key-name.ts';
import { explainError, explainEventError } from '../page/components/explain-error.ts';
import { formatAge, formatBytes, formatDuration } from '../page/components/format.ts';

describe('formatDuration', () => {
  it('returns a different text for each length', () => {
    const texts = [0.4, 1, 999, 1_000, 1_249, 59_949, 59_950, 3_599_000, 3_600_000, NaN, -1].map(formatDuration);
    expect(texts).toEqual([
      '<1 ms',
      '1 ms',
      '999 ms',
      '1.0 s',
      '1.2 s',
      '59.9 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '',
      '',
    ]);
  });
});

describe('formatBytes', () => {
  it('returns sizes of files with a unit', () => {
    expect([0, 999, 1_000, 12_345, 8_000_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.0 kB', '12 kB', '8.0 MB']);
  });
});

describe('formatAge', () => {
  it('returns minutes within an hour, then the time', () => {
    const nowMs = 1_700_000_000_000;
    expect(formatAge(1_700_000_000, nowMs)).toBe('now');
    expect(formatAge(1_700_000_000 + 30, nowMs)).toBe('now');
    expect(formatAge(1_700_000_000 - 180, nowMs)).toBe('3 min');
    expect(formatAge(1_700_000_000 - 7_200, nowMs)).toMatch(/\d\d/);
  });
});

describe('explainError', () => {
  it('returns the meaning of a code and the next step', () => {
    expect(
      explainError(new ClientError('Session is busy.', { status: 409, code: 'SESSION_BUSY', retryable: true })),
    ).toEqual({
      sentence: 'Session is busy.',
      code: 'SESSION_BUSY',
      meaning: expect.stringContaining('holds the session'),
      advice: expect.stringContaining('stop it'),
    });
    expect(explainError(new ClientError('Not found', { status: 404 })).code).toBe('HTTP 404');
    expect(explainError('odd').sentence).toBe('odd');
    expect(explainEventError({ errorCode: 'MODEL_OVERLOADED' }).advice).toBe('A retry may succeed.');
    expect(explainEventError({ errorCode: 'constructor', errorMessage: 'x' }).meaning).toBeUndefined();
  });
});

describe('readAnswer', () => {
  it('returns a JSON object unchanged, and any other value as `result`', () => {
    expect(readAnswer(' {"ok": true} ')).toEqual({ ok: true });
    expect(readAnswer('[1]')).toEqual({ result: [1] });
    expect(readAnswer('null')).toEqual({ result: null });
    expect(readAnswer('yes, please ')).toEqual({ result: 'yes, please' });
  });
});

describe('suggestionsFor', () => {
  it('returns the app’s suggestions, each once', () => {
    const app = { name: 'hotel', rootAgentName: 'a', description: '', language: 'typescript', agents: {} };
    expect([undefined, app, { ...app, suggestions: [] }].map(suggestionsFor)).toEqual([[], [], []]);
    expect(suggestionsFor({ ...app, suggestions: ['Hi.', ' ', 'Hi.', 'Book.'] })).toEqual(['Hi.', 'Book.']);
  });
});

describe('keyName', () => {
  it('returns the command key of the platform', () => {
    expect([keyName('⌘K', true), keyName('⌘K', false), keyName('j', false)]).toEqual(['⌘K', 'Ctrl K', 'j']);
  });
});
