import { nextTick } from 'node:process';
import type { Resp2Client } from './redis-client.ts';

/** What ioredis writes to: a socket, once it has one. Cluster has a client for each node and none of its own. */
interface Corkable {
  cork(): void;
  uncork(): void;
}

/**
 * Has what one tick sends leave in one write: a write for each command would be a tenth of what a command costs. Sockets collect
 * what is written while they are corked; the next tick lets it go.
 */
export class WriteBatcher {
  #isOpen = false;

  /** To be called before each command. */
  collect(client: Resp2Client): void {
    if (this.#isOpen) return;
    const { stream } = client as { stream?: Partial<Corkable> | undefined };
    if (!stream?.cork || !stream.uncork) return;
    this.#isOpen = true;
    stream.cork();
    nextTick(() => {
      this.#isOpen = false;
      stream.uncork!();
    });
  }
}
