import { createEvent, StoredCredentialService } from '@thole/core';
import type { CredentialStore } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { checkWaitingRequest } from '../../src/session/check-waiting-request.ts';
import { prepareEvent } from '../../src/session/prepare-event.ts';
import { readWindow } from '../../src/session/read-window.ts';
import { assertMarks } from '../../src/session/session-marks.ts';

const limits = { eventBytes: 1_000, stateValueBytes: 1_000 };
const event = createEvent({ invocationId: 'i', author: 'user' });
const credentials = new StoredCredentialService({} as CredentialStore);
const ref = { appName: 'app', userId: 'ada', interruptId: 'i' };

describe('Times in seconds', () => {
  it.each<[string, (time: number) => unknown]>([
    ['event.timestamp', (timestamp) => prepareEvent({ ...event, timestamp }, limits)],
    ['marks.wakeAt', (wakeAt) => assertMarks({ wakeAt })],
    ['afterTimestamp', (afterTimestamp) => readWindow({ afterTimestamp })],
    ['before', (before) => checkWaitingRequest({ appName: 'app', kind: 'due', before })],
    ['pending.expiresAt', (expiresAt) => credentials.savePendingAuth({ ...ref, pending: { expiresAt } as never })],
  ])('%s must be a finite number of seconds, and no milliseconds (contract 42)', async (name, check) => {
    for (const time of [Number.NaN, Infinity, '5' as never]) {
      const type = typeof time === 'string' ? 'a string' : 'a number';
      const message = new RegExp(`^${name} must be a finite number of seconds, got ${type}\\.$`);
      await expect(async () => check(time)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(message),
      });
    }
    await expect(async () => check(1.7e12)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('Divide milliseconds by 1,000'),
    });
  });

  it('may be the end of the year 9999, which often means "without an end"', () => {
    expect(() => assertMarks({ wakeAt: Date.parse('9999-12-31T23:59:59Z') / 1_000 })).not.toThrow();
  });
});
