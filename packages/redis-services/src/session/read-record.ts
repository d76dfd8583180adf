import type { ForkOrigin, SessionRef, StoredSession } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import { readMarks } from './session-marks.ts';

/**
 * Returns the record of a session from a script's reply [version, incarnation, create time, last update time, last seq, marks …] and the
 * JSON text of its origin. Throws `STORE_VERSION` if another version of this package wrote it.
 */
export function readRecord(
  key: SessionRef,
  [v, incarnation, createTime, lastUpdateTime, lastSeq, ...marks]: readonly unknown[],
  forkedFrom?: unknown,
): Pick<
  StoredSession,
  'key' | 'incarnation' | 'createTime' | 'lastUpdateTime' | 'lastSeq' | 'marks' | 'forkedFrom' | 'v'
> {
  assertVersion(v, `Session "${key.sessionId}"`);
  return {
    key: { appName: key.appName, userId: key.userId, sessionId: key.sessionId },
    incarnation: String(incarnation),
    createTime: Number(createTime),
    lastUpdateTime: Number(lastUpdateTime),
    lastSeq: Number(lastSeq),
    marks: readMarks(marks[0], marks[1], marks[2]),
    ...(typeof forkedFrom === 'string' && { forkedFrom: JSON.parse(forkedFrom) as ForkOrigin }),
    v: 1,
  };
}
