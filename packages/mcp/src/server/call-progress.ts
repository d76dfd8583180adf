import { getFunctionCalls, textOf } from '@thole/core';
import { requestKindOf } from '@thole/core/kit';
import type { Event } from '@thole/core';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ServedAgent } from './served-agent.ts';

/** Sends the progress of a call to a client that requested it: pieces of text, names of called tools, and notes of tools. */
export class CallProgress {
  readonly #agent: ServedAgent;
  readonly #request: ServerContext['mcpReq'];
  #count: number;

  /** The first notification has the number `count + 1`. */
  constructor(agent: ServedAgent, request: ServerContext['mcpReq'], count: number) {
    this.#agent = agent;
    this.#request = request;
    this.#count = count;
  }

  /** Number of the last notification. */
  get count(): number {
    return this.#count;
  }

  get isRequested(): boolean {
    return this.#request._meta?.progressToken !== undefined;
  }

  async report(event: Event): Promise<void> {
    const progressToken = this.#request._meta?.progressToken;
    if (progressToken === undefined) return;
    for (const message of this.#messagesOf(event)) {
      const params = { progressToken, progress: ++this.#count, message };
      // If the client has disconnected, the request's signal ends the call.
      await this.#request.notify({ method: 'notifications/progress', params }).catch(() => {});
    }
  }

  #messagesOf(event: Event): string[] {
    if (event.author === 'user') return [];
    if (event.partial) {
      const note = event.customMetadata?.['progress'];
      const text = this.#agent.isChecked(event.author) ? '' : textOf(event.content);
      return [typeof note === 'string' ? note : text].filter((each) => each !== '');
    }
    const toolCalls = getFunctionCalls(event).filter(({ name }) => requestKindOf(name) === undefined);
    return toolCalls.map(({ name }) => `Calling ${name}`);
  }
}
