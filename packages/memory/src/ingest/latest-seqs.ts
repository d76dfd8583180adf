import { putCached } from '../put-cached.ts';

/** An evicted session is read again completely. This adds no event twice. */
const MAX_SESSIONS = 10_000;

/** The last processed event of a session. */
export interface Position {
  seq: number;
  /** The session's incarnation. Undefined before the session was read. */
  incarnation: string | undefined;
}

/** The last processed event of each session. Keeps a limited number of sessions. */
export class LatestSeqs {
  readonly #positions = new Map<string, Position>();

  get(key: string): Position | undefined {
    return this.#positions.get(key);
  }

  set(key: string, position: Position): void {
    putCached(this.#positions, key, position, MAX_SESSIONS);
  }
}
