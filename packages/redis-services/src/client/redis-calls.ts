import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { CallDeadlines } from './call-deadlines.ts';
import { isNoScript, mapRedisError } from './map-redis-error.ts';
import { WriteBatcher } from './write-batcher.ts';
import { identity, PendingCall } from './pending-call.ts';
import type { PlainCommand, ScriptReply, ScriptArgument, ScriptCall, Settle } from './pending-call.ts';
import { connectionOf, describeServer } from './redis-client.ts';
import type { Resp2Client, RedisClient } from './redis-client.ts';
import type { RedisWait } from './redis-options.ts';
import { statusOf, sendAndWait, sendScript } from './send-script.ts';
import { ServerClock } from './server-clock.ts';

/**
 * Runs scripts, each within a time limit of its own: a client may keep a call in its queue for as long as it likes, the
 * caller hears after `timeoutMs`, and the script refuses to write from then on.
 */
export class RedisCalls {
  readonly #client: Resp2Client;
  readonly #runtime: Runtime;
  readonly #clock: ServerClock;
  readonly #deadlines: CallDeadlines<PendingCall>;
  readonly #wait: RedisWait | undefined;
  readonly #oneWrite = new WriteBatcher();
  /** How long a call may take. */
  readonly timeoutMs: number;

  constructor(
    client: RedisClient,
    p: { runtime: Runtime; timeoutMs: number; wait?: RedisWait | undefined; clock?: (() => number) | undefined },
  ) {
    this.#client = client as Resp2Client;
    this.#runtime = p.runtime;
    this.#clock = new ServerClock(client, p.runtime, p.clock);
    this.#deadlines = new CallDeadlines(p.runtime, p.timeoutMs, (open) => this.#timedOut(open));
    this.timeoutMs = p.timeoutMs;
    this.#wait = p.wait;
  }

  /** Whether writes are to be acknowledged by replicas. */
  get waitsForReplicas(): boolean {
    return this.#wait !== undefined;
  }

  /** `STORE_UNAVAILABLE` when there is no answer. */
  read(call: ScriptCall): Promise<ScriptReply> {
    return this.#begin(call, false, identity);
  }

  /**
   * `STORE_OUTCOME_UNKNOWN` when nobody knows whether it happened, `STORE_UNAVAILABLE` when it did not. `understand` makes
   * something of the answer on the way.
   */
  write(call: ScriptCall): Promise<ScriptReply>;
  write<T>(call: ScriptCall, understand: (answer: ScriptReply) => T | Promise<T>): Promise<T>;
  write(call: ScriptCall, understand: (answer: ScriptReply) => unknown = identity): Promise<unknown> {
    return this.#begin(call, true, understand);
  }

  /** Returns a section of the server's INFO. */
  info(section: string): Promise<string> {
    return this.#begin({ info: section }, false, String);
  }

  /** Whether the server answers: `STORE_UNAVAILABLE` when it does not. */
  async ping(): Promise<void> {
    await this.#begin('ping', false, identity);
  }

  /**
   * Several calls that end as one, within the time of one: `STORE_UNAVAILABLE` after it for reads and for what is undone when
   * it was not heard of, `STORE_OUTCOME_UNKNOWN` for writes; with `later` for writes that have begun.
   */
  withDeadline<T>(work: (begins: () => void) => Promise<T>, isWrite: boolean | 'later' = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const open = new PendingCall(
        this.#runtime.monotonic(),
        'ping',
        isWrite !== false,
        identity,
        resolve as Settle,
        reject,
      );
      open.sent = isWrite === true;
      this.#deadlines.begin(open);
      const end = (settle: Settle) => (value: unknown) => {
        if (this.#deadlines.end(open)) settle(value);
      };
      work(() => (open.sent = isWrite !== false)).then(end(open.resolve), end(reject));
    });
  }

  // Plain callbacks from here on: each promise and each async function on the way costs a good part of the call.
  #begin<T>(
    call: ScriptCall | PlainCommand,
    isWrite: boolean,
    understand: (answer: ScriptReply) => T | Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const open = new PendingCall(this.#runtime.monotonic(), call, isWrite, understand, resolve as Settle, reject);
      this.#deadlines.begin(open);
      if (this.#clock.isKnown) this.#send(open);
      else this.#measureAndSend(open);
    });
  }

  #measureAndSend(open: PendingCall): void {
    this.#clock.measure().then(
      () => {
        if (this.#runtime.monotonic() - open.began < this.timeoutMs) this.#send(open);
      },
      (error: unknown) => this.#failed(open, error),
    );
  }

  #send(open: PendingCall): void {
    const failed = (error: unknown): void => this.#failed(open, error);
    try {
      this.#hand(open, failed);
    } catch (error) {
      failed(error);
    }
  }

  #hand(open: PendingCall, failed: (error: unknown) => void): void {
    const { began, call } = open;
    this.#oneWrite.collect(this.#client);
    if (!open.sent) open.sentBy = connectionOf(this.#client);
    open.sent = this.#client.status !== 'end';
    const answered = (answer: unknown): void => this.#answered(open, answer as ScriptReply);
    if (call === 'ping') {
      this.#client.ping().then(answered, failed);
      return;
    }
    if ('info' in call) {
      this.#client.info(call.info).then(answered, failed);
      return;
    }
    const all: ScriptArgument[] = [...call.keys, this.#clock.deadline(began, this.timeoutMs)];
    if (call.args) for (const arg of call.args) all.push(arg);
    if (open.isWrite && this.#wait) {
      sendAndWait(this.#client, call, all, this.#wait).then(answered, failed);
      return;
    }
    sendScript(this.#client, call, all, true).then(answered, (error: unknown) => {
      if (isNoScript(error)) sendScript(this.#client, call, all, false).then(answered, failed);
      else failed(error);
    });
  }

  #answered(open: PendingCall, answer: ScriptReply): void {
    // Only writes say so; what is read may look like it.
    if (open.isWrite && statusOf(answer) === 'LATE') {
      if (open.measured || this.#runtime.monotonic() - open.began > this.timeoutMs / 2) {
        return this.#failed(open, tooLate(this.timeoutMs, this.#sentAgain(open)));
      }
      // In time by our clock: the server's has moved, or another server answers.
      open.measured = true;
      this.#clock.forget();
      return this.#measureAndSend(open);
    }
    if (!this.#deadlines.end(open)) return;
    try {
      open.resolve(open.understand(answer));
    } catch (error) {
      open.reject(error);
    }
  }

  #failed(open: PendingCall, error: unknown): void {
    if (!TholeError.is(error)) this.#clock.forget();
    if (!this.#deadlines.end(open)) return;
    const { isWrite, sent: wasSent } = open;
    const call = { isWrite, wasSent, sentAgain: this.#sentAgain(open), server: describeServer(this.#client) };
    open.reject(mapRedisError(error, call));
  }

  // Clients send again what was not answered when a connection was cut.
  #sentAgain({ sent, sentBy }: PendingCall): boolean {
    return sent && sentBy !== undefined && sentBy !== connectionOf(this.#client);
  }

  #timedOut(open: PendingCall): void {
    this.#clock.forget();
    const code = open.isWrite && open.sent ? 'STORE_OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE';
    const { status } = this.#client;
    const why = status === 'ready' ? '' : `: the client is in the state "${status}"`;
    const sentence = `${describeServer(this.#client)} did not answer within ${this.timeoutMs} ms${why}.`;
    open.reject(new TholeError(code, sentence));
  }
}

function tooLate(timeoutMs: number, sentAgain: boolean): TholeError {
  const message = `Redis came to it after ${timeoutMs} ms`;
  return sentAgain
    ? new TholeError('STORE_OUTCOME_UNKNOWN', `${message}, but may have done it before the connection was cut.`)
    : new TholeError('STORE_UNAVAILABLE', `${message}; nothing was written.`);
}
