import type { SessionRef, StoredSession } from '@thole/core';
import { assertVersion } from './state-fields.ts';

/**
 * A session's record as scripts answer it: version, incarnation, times, last seq. `STORE_VERSION` for one of a version that
 * this package does not know.
 */
export function readRecord(
  key: SessionRef,
  [v, incarnation, createTime, lastUpdateTime, lastSeq]: readonly unknown[],
): Pick<StoredSession, 'key' | 'incarnation' | 'createTime' | 'lastUpdateTime' | 'lastSeq' | 'v'> {
  assertVersion(v, `Session ${key.sessionId}`);
  return {
    key: { appName: key.appName, userId: key.userId, sessionId: key.sessionId },
    incarnation: String(incarnation),
    createTime: Number(createTime),
    lastUpdateTime: Number(lastUpdateTime),
    lastSeq: Number(lastSeq),
    v: 1,
  };
}
