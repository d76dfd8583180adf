import type { SessionRef, StoredSession } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';

/**
 * Returns the record of a session from a script's reply [version, incarnation, create time, last update time, last seq, …]. Throws
 * `STORE_VERSION` if another version of this package wrote it.
 */
export function readRecord(
  key: SessionRef,
  [v, incarnation, createTime, lastUpdateTime, lastSeq]: readonly unknown[],
): Pick<StoredSession, 'key' | 'incarnation' | 'createTime' | 'lastUpdateTime' | 'lastSeq' | 'v'> {
  assertVersion(v, `Session "${key.sessionId}"`);
  return {
    key: { appName: key.appName, userId: key.userId, sessionId: key.sessionId },
    incarnation: String(incarnation),
    createTime: Number(createTime),
    lastUpdateTime: Number(lastUpdateTime),
    lastSeq: Number(lastSeq),
    v: 1,
  };
}
