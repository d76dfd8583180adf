import type { Content } from '@thole/core';

/** A message that is being sent. */
export interface SentMessage {
  content: Content;
  /** `seq` of the last event known when it was sent: the message and its answers follow it. */
  afterSeq: number;
  /** Seconds since the epoch. */
  timestamp: number;
}
