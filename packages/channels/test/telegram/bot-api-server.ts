import { ProtocolServer } from '@thole/testing/http';
import type { ReceivedRequest, ServerAnswer } from '@thole/testing/http';

export const token = '42:a-secret-token-of-the-bot';
export const bot = { id: 42, is_bot: true, first_name: 'Bot', username: 'thole_bot' };

/** An error response of the Bot API. */
export interface Failure {
  error_code: number;
  description: string;
  parameters?: object;
}

/** The body of `sendMessage`. */
export interface SentMessage {
  chat_id: number;
  text: string;
  reply_markup?: { keyboard: unknown };
}

/** A message of an update. */
export type Message = { from: object; chat: object; [member: string]: unknown };

/** An update that waits until the bot confirms it, by a poll with a higher offset. */
interface OpenUpdate {
  update: { update_id: number };
  wasDelivered: boolean;
  settle: (error?: Error) => void;
}

/** A local server for the Bot API: updates by polls, sent messages, and files. */
export class BotApiServer {
  /** Calls of methods except `getUpdates`, in order. */
  readonly calls: { method: string; body: unknown }[] = [];
  /** Failures of the next calls of `send…`. */
  readonly failures: Failure[] = [];
  /** Answers to the next polls, instead of updates. */
  readonly pollAnswers: ServerAnswer[] = [];
  /** Content of files, by path. Status 404 for a missing file. */
  readonly files: Map<string, ServerAnswer> = new Map();
  /** Paths that `getFile` returns, by id. */
  readonly paths: Map<string, { file_path: string; file_size?: number }> = new Map();
  /** Failures of all calls of a method, by method. */
  readonly broken: Map<string, Failure> = new Map();
  polls = 0;
  #server!: ProtocolServer;
  #open: OpenUpdate[] = [];
  #wake: (() => void)[] = [];
  #nextUpdate = 1_000;
  #nextMessage = 500;

  static async start(): Promise<BotApiServer> {
    const server = new BotApiServer();
    server.#server = await ProtocolServer.start((request) => server.#answer(request));
    return server;
  }

  get url(): string {
    return this.#server.url;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.#server.requests;
  }

  /** Sent messages, in order. */
  get sent(): SentMessage[] {
    return this.calls.filter(({ method }) => method === 'sendMessage').map(({ body }) => body as SentMessage);
  }

  nextUpdateId(): number {
    return this.#nextUpdate++;
  }

  /** Delivers an update. Resolves when it is confirmed, and rejects if the bot polls it again. */
  deliver(members: object, id: number = this.nextUpdateId()): Promise<void> {
    return new Promise((resolve, reject) => {
      const open: OpenUpdate = {
        update: { update_id: id, ...members },
        wasDelivered: false,
        settle: (error) => {
          this.#open = this.#open.filter((each) => each !== open);
          if (error) reject(error);
          else resolve();
        },
      };
      this.#open.push(open);
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  async close(): Promise<void> {
    for (const wake of this.#wake.splice(0)) wake();
    await this.#server.close();
  }

  async #answer({ body, path }: ReceivedRequest): Promise<ServerAnswer> {
    const file = /^\/file\/bot([^/]+)\/(.*)$/.exec(path);
    if (file) return (file[1] === token ? this.files.get(file[2]!) : undefined) ?? { status: 404 };
    const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (given !== token || method === undefined) return failed({ error_code: 401, description: 'Unauthorized' });
    const broken = this.broken.get(method);
    if (broken) return failed(broken);
    if (method === 'getUpdates') return this.#poll(body as { offset?: number; timeout?: number });
    const failure = method.startsWith('send') ? this.failures.shift() : undefined;
    if (failure) return failed(failure);
    this.calls.push({ method, body });
    if (method === 'getMe') return done(bot);
    if (method === 'getFile') return this.#file((body as { file_id: string }).file_id);
    return done(method.startsWith('send') ? { message_id: this.#nextMessage++ } : true);
  }

  #file(id: string): ServerAnswer {
    const file = this.paths.get(id);
    return file
      ? done({ file_id: id, ...file })
      : failed({ error_code: 400, description: 'Bad Request: invalid file_id' });
  }

  async #poll({ offset = 0, timeout = 0 }: { offset?: number; timeout?: number }): Promise<ServerAnswer> {
    const id = ++this.polls;
    // A new poll ends an older one, whose client may have disconnected.
    for (const wake of this.#wake.splice(0)) wake();
    const answer = this.pollAnswers.shift();
    if (answer) return answer;
    for (const open of this.#open) {
      if (open.update.update_id < offset) open.settle();
      else if (open.wasDelivered) open.settle(new Error('The bot has polled the update again.'));
    }
    if (this.#open.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        setTimeout(resolve, timeout * 1_000).unref();
      });
    if (id !== this.polls) return failed({ error_code: 409, description: 'Conflict: terminated by other getUpdates' });
    for (const open of this.#open) open.wasDelivered = true;
    return done(this.#open.map(({ update }) => update));
  }
}

export function done(result: unknown): ServerAnswer {
  return { body: JSON.stringify({ ok: true, result }) };
}

export function failed(failure: Failure): ServerAnswer {
  return { status: failure.error_code, body: JSON.stringify({ ok: false, ...failure }) };
}

/** A message of a person in a private chat. */
export function privateMessage(
  p: { id: number; text?: string; from?: number } & { [member: string]: unknown },
): Message {
  const { from = 4_711, id, ...members } = p;
  return {
    message_id: id,
    date: 1_700_000_000,
    from: { id: from, is_bot: false, first_name: 'Ada', last_name: 'Lovelace' },
    chat: { id: from, type: 'private' },
    ...members,
  };
}

/** A message of a person in a group. */
export function groupMessage(p: { id: number } & { [member: string]: unknown }): Message {
  return { ...privateMessage(p), chat: { id: -100_123, type: 'supergroup', title: 'Garden' }, ...p };
}
