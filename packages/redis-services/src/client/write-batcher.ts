import { nextTick } from 'node:process';
import type { Writable } from 'node:stream';
import type { Resp2Client } from './redis-client.ts';

/**
 * Sends all commands of one tick in one write to the socket. A write for each command would be a tenth of the cost of a command. A
 * corked stream buffers all writes; the next tick uncorks it. A Cluster client has no stream: its commands are not batched.
 */
export class WriteBatcher {
  #isCorked = false;

  /** Starts a batch if there is none. Call it before each command. */
  collect(client: Resp2Client): void {
    if (this.#isCorked) return;
    const { stream } = client as { stream?: Partial<Pick<Writable, 'cork' | 'uncork'>> | undefined };
    if (!stream?.cork || !stream.uncork) return;
    this.#isCorked = true;
    stream.cork();
    nextTick(() => {
      this.#isCorked = false;
      stream.uncork!();
    });
  }
}
