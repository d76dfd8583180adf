import { textOf } from '@thole/core';
import type { Llm } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { InMemoryDeliveryStore } from '../delivery/in-memory-delivery-store.ts';
import type { DeliveryStore } from '../delivery/delivery-store.ts';
import { Dispatcher } from '../dispatcher/dispatcher.ts';
import type { DispatcherOptions, DispatchFailure } from '../dispatcher/dispatcher-options.ts';
import { InMemoryIdentityStore } from '../identity/in-memory-identity-store.ts';
import type { ChannelPeer } from './channel-peer.ts';

/** A dispatcher with the channel of a peer. Its agent repeats each message. */
export interface TestDispatcher {
  dispatcher: Dispatcher;
  /** Texts that the agent has received, in order. */
  prompts: string[];
  failures: DispatchFailure[];
}

/** Starts a dispatcher with the peer as a user, runs the work, and closes the dispatcher. */
export async function dispatchWith(
  { channel, sender }: ChannelPeer,
  work: (test: TestDispatcher) => Promise<void>,
  options: Partial<DispatcherOptions> & { deliveries?: DeliveryStore | undefined } = {},
): Promise<void> {
  const sessions = new InMemorySessionService();
  const identities = new InMemoryIdentityStore();
  await identities.create({ id: 'ada', name: 'Ada', identities: [{ channel: channel.name, sender }] });
  const prompts: string[] = [];
  const failures: DispatchFailure[] = [];
  const agent = new LlmAgent({ name: 'echo', model: echoModel(prompts) });
  const dispatcher = new Dispatcher({
    appName: 'echo',
    channels: [channel],
    identities,
    deliveries: new InMemoryDeliveryStore(),
    sessions,
    coalesceMs: 0,
    retryMs: 5,
    onError: (failure) => void failures.push(failure),
    createParts: () => ({
      runner: new Runner({
        appName: 'echo',
        agent,
        sessionService: sessions,
        autoCreateSession: true,
        concurrency: { policy: 'join' },
      }),
    }),
    ...options,
  });
  await dispatcher.start();
  try {
    await work({ dispatcher, prompts, failures });
  } finally {
    await dispatcher.close({ timeoutMs: 2_000 });
  }
}

/** Returns a model that answers `You said: …` with the newest message. */
function echoModel(prompts: string[]): Llm {
  return {
    model: 'echo',
    specVersion: 1,
    async *generateContentAsync({ contents }) {
      const text = textOf(contents.findLast(({ role }) => role === 'user'));
      prompts.push(text);
      yield { content: { role: 'model', parts: [{ text: `You said: ${text}` }] }, finishReason: 'STOP' };
    },
  };
}
