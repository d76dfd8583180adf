import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Channel } from '@thole/channels';
import { HttpChannel, signRequest } from '@thole/channels/http';
import { TerminalChannel } from '@thole/channels/terminal';
import { FixedRuntime } from '@thole/testing';
import { onTestFinished } from 'vitest';
import { Companion } from '../../src/companion.ts';
import type { ChannelsConfig } from '../../src/config/companion-config.ts';
import { folderForTest } from '../folder-for-test.ts';
import { scriptedModels } from './scripted-models.ts';
import type { Chat } from './scripted-models.ts';

const SECRET = 'only for tests: 32 characters or more';

/** A companion that can be restarted with the same folder. Its channels are a terminal, and HTTP channels with the names of the others. */
export class World {
  readonly runtime = new FixedRuntime();
  readonly folder = folderForTest();
  #companion: Companion | undefined;
  #models: ReturnType<typeof scriptedModels> | undefined;
  #channels = new Map<string, Channel>();
  #terminal: { input: PassThrough; output: PassThrough } | undefined;
  readonly #acknowledged = new Map<string, string>();
  #messages = 0;

  constructor() {
    onTestFinished(() => this.stop());
  }

  get companion(): Companion {
    return this.#companion!;
  }
  get models(): ReturnType<typeof scriptedModels> {
    return this.#models!;
  }

  configure(text: string): void {
    writeFileSync(join(this.folder, 'companion.yaml'), text);
  }

  /** Starts the companion with new models and channels. */
  async start(chat: Chat): Promise<void> {
    const models = scriptedModels(chat);
    this.#models = models;
    this.#companion = await Companion.open({
      ...{ folder: this.folder, env: {}, runtime: this.runtime },
      createModels: async () => models,
      createChannels: async (config) => this.#createChannels(config),
    });
    await this.#companion.start();
    await this.settle();
  }

  /** Stops the companion. This adds nothing to memory. */
  async stop(): Promise<void> {
    const closing = this.#companion?.close();
    this.#companion = undefined;
    this.#channels = new Map();
    if (closing) await this.#advanceUntil(closing, 1);
  }

  /** Delivers a message of a person, and returns the texts that the person then receives on this channel. */
  async say(channel: string, sender: string, text: string): Promise<string[]> {
    await this.write(channel, sender, text);
    await this.settle();
    return this.received(channel, sender);
  }

  /** Delivers a message. With the `id` of an earlier message it is delivered again. */
  async write(channel: string, sender: string, text: string, id: string = `m${this.#messages++}`): Promise<void> {
    if (channel === 'terminal') return this.#type(text);
    const body = JSON.stringify({ sender, id, text });
    const response = await this.#http(channel).handle(this.#request('POST', '/', body));
    if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  }

  /** Returns the texts that a person has received on a channel since the last call. */
  async received(channel: string, sender: string): Promise<string[]> {
    if (channel === 'terminal')
      return (this.#terminal!.output.read() as Buffer | null)?.toString().trimEnd().split('\n') ?? [];
    const texts: string[] = [];
    for (;;) {
      const ack = this.#acknowledged.get(`${channel} ${sender}`);
      const query = new URLSearchParams({ to: sender, wait: '1', ...(ack !== undefined && { ack }) });
      const response = await this.#advanceUntil(
        this.#http(channel).handle(this.#request('GET', `/?${query.toString()}`)),
        50,
      );
      const { messages } = (await response.json()) as { messages: { id: string; text: string }[] };
      if (messages.length === 0) return texts;
      for (const { id, text } of messages) {
        texts.push(text);
        this.#acknowledged.set(`${channel} ${sender}`, id);
      }
    }
  }

  /** Advances the clock, and waits until due work is done. */
  async pass(minutes: number): Promise<void> {
    await this.runtime.advance(minutes * 60_000);
    await this.settle();
  }

  /** Waits until waiting messages are answered and no work is running. */
  async settle(): Promise<void> {
    await this.runtime.advance(1_100);
    await this.#advanceUntil(this.companion.dispatcher.idle(), 0.1);
  }

  /** Types a line. Resolves when the conversation has received it, because streams are read in real time. */
  async #type(line: string): Promise<void> {
    this.#terminal!.input.write(`${line}\n`);
    const hasArrived = (): boolean =>
      this.companion.dispatcher.conversations.some(({ channel, isIdle }) => channel === 'terminal' && !isIdle);
    for (let i = 0; i < 100_000 && !hasArrived(); i++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Advances the clock in steps until work has ended. */
  async #advanceUntil<T>(work: Promise<T>, stepMs: number): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => {});
    while (!isDone) await this.runtime.advance(stepMs);
    return done;
  }

  #createChannels(config: ChannelsConfig): Channel[] {
    const names = Object.entries(config).flatMap(([name, options]: [string, object | undefined]) =>
      options ? [name] : [],
    );
    return names.map((name) => {
      const channel = this.#channels.get(name) ?? this.#createChannel(name);
      this.#channels.set(name, channel);
      return channel;
    });
  }

  #createChannel(name: string): Channel {
    const { runtime } = this;
    if (name !== 'terminal') return new HttpChannel({ name, secrets: [SECRET], runtime });
    this.#terminal = { input: new PassThrough(), output: new PassThrough() };
    return new TerminalChannel({ ...this.#terminal, runtime });
  }

  #http(name: string): HttpChannel {
    return this.#channels.get(name) as HttpChannel;
  }

  #request(method: string, path: string, body?: string): Request {
    const url = `http://localhost${path}`;
    const headers = signRequest(SECRET, { method, url, body, timestamp: this.runtime.now() });
    return new Request(url, { method, headers, ...(body !== undefined && { body }) });
  }
}
