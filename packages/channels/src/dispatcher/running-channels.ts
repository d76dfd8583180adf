import { KeyedQueue } from '@thole/core/kit';
import type { Channel, ChannelHandler } from '../channel/channel.ts';
import { assertChannels } from './assert-dispatcher-options.ts';

/** The channels of a dispatcher. They may change while it runs. */
export class RunningChannels {
  readonly #byName = new Map<string, Channel>();
  readonly #changes = new KeyedQueue();
  /** Undefined before the start and after the stop. */
  #handler: ChannelHandler | undefined;

  constructor(channels: readonly Channel[]) {
    for (const channel of channels) this.#byName.set(channel.name, channel);
  }

  get all(): readonly Channel[] {
    return [...this.#byName.values()];
  }

  get(name: string): Channel | undefined {
    return this.#byName.get(name);
  }

  /** Starts all channels. If a channel cannot start, stops all channels and throws its error. */
  async start(handler: ChannelHandler): Promise<void> {
    this.#handler = handler;
    await startAll(this.all, handler);
  }

  /**
   * Adds, removes or replaces channels. A channel that is in both lists is left unchanged. If a new channel cannot start, adds
   * none of the new channels, starts the removed ones again, and throws its error. A removed channel that cannot start is passed to
   * `onError` and stays removed.
   */
  replace(channels: readonly Channel[], onError: (channel: Channel, error: unknown) => void): Promise<void> {
    return this.#changes.run('channels', async () => {
      assertChannels(channels);
      const removed = this.all.filter((channel) => !channels.includes(channel));
      const added = channels.filter((channel) => this.#byName.get(channel.name) !== channel);
      for (const channel of removed) this.#byName.delete(channel.name);
      await Promise.all(removed.map((channel) => channel.stop()));
      for (const channel of added) this.#byName.set(channel.name, channel);
      if (!this.#handler) return;
      try {
        await startAll(added, this.#handler);
      } catch (error) {
        for (const channel of added) this.#byName.delete(channel.name);
        const restart = async (channel: Channel): Promise<void> => {
          this.#byName.set(channel.name, channel);
          await startAll([channel], this.#handler!).catch((failure: unknown) => {
            this.#byName.delete(channel.name);
            onError(channel, failure);
          });
        };
        await Promise.all(removed.map(restart));
        throw error;
      }
    });
  }

  /** Stops all channels. Returns the errors of channels that fail to stop. */
  stop(): Promise<unknown[]> {
    return this.#changes.run('channels', async () => {
      if (!this.#handler) return [];
      this.#handler = undefined;
      const results = await Promise.allSettled(this.all.map(async (channel) => channel.stop()));
      return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    });
  }
}

async function startAll(channels: readonly Channel[], handler: ChannelHandler): Promise<void> {
  const results = await Promise.allSettled(channels.map(async (channel) => channel.start(handler)));
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return;
  await Promise.allSettled(channels.map(async (channel) => channel.stop()));
  throw failed.reason;
}
