import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import { CallDeadlines } from './call-deadlines.ts';
import { isNoScript, mapRedisError } from './map-redis-error.ts';
import { PendingCall } from './pending-call.ts';
import type { Settle } from './pending-call.ts';
import { connectionErrorCode, connectionOf, describeServer } from './redis-client.ts';
import type { RedisClient, Resp2Client } from './redis-client.ts';
import type { RedisWait } from './redis-options.ts';
import type { PlainCommand, ScriptArgument, ScriptCall, ScriptReply } from './script-call.ts';
import { sendAndWait, sendScript, sendWithCommands, statusOf } from './send-script.ts';
import { ServerClock } from './server-clock.ts';
import { WriteBatcher } from './write-batcher.ts';

/**
 * Runs scripts, each with a time limit. A client may keep a call in its queue for any time. The caller gets an error after `timeoutMs`,
 * and the script writes nothing after that.
 */
export class RedisCalls {
  readonly #client: Resp2Client;
  readonly #runtime: Runtime;
  readonly #clock: ServerClock;
  readonly #deadlines: CallDeadlines<PendingCall>;
  readonly #wait: RedisWait | undefined;
  readonly #batcher = new WriteBatcher();
  /** Time limit of a call in milliseconds. */
  readonly timeoutMs: number;

  constructor(
    client: RedisClient,
    p: { runtime: Runtime; timeoutMs: number; wait?: RedisWait | undefined; clock?: (() => number) | undefined },
  ) {
    this.#client = client as Resp2Client;
    this.#runtime = p.runtime;
    this.#clock = new ServerClock(client, p.runtime, p.clock);
    this.#deadlines = new CallDeadlines(p.runtime, p.timeoutMs, (pending) => this.#timeOut(pending));
    this.timeoutMs = p.timeoutMs;
    this.#wait = p.wait;
  }

  /** True if replicas must confirm each write. */
  get waitsForReplicas(): boolean {
    return this.#wait !== undefined;
  }

  /** Runs a script that only reads. Throws `STORE_UNAVAILABLE` if there is no reply in time. */
  read(call: ScriptCall): Promise<ScriptReply> {
    return this.#begin(call, false, identity);
  }

  /**
   * Runs a script that writes. `convert` changes the reply for the caller. `startedAt` is the start of the time limit (monotonic), if this
   * call continues another one. Throws `STORE_UNAVAILABLE` if the script did not run, and `STORE_OUTCOME_UNKNOWN` if it may have run.
   */
  write(call: ScriptCall): Promise<ScriptReply>;
  write<T>(call: ScriptCall, convert: (reply: ScriptReply) => T | Promise<T>, startedAt?: number): Promise<T>;
  write(
    call: ScriptCall,
    convert: (reply: ScriptReply) => unknown = identity,
    startedAt: number = this.#runtime.monotonic(),
  ): Promise<unknown> {
    return this.#begin(call, true, convert, startedAt);
  }

  /** Returns a section of the server's INFO. */
  info(section: string): Promise<string> {
    return this.#begin({ info: section }, false, String);
  }

  /** Throws `STORE_UNAVAILABLE` if the server does not answer. */
  async ping(): Promise<void> {
    await this.#begin('ping', false, identity);
  }

  /**
   * Runs several calls within the time limit of one call. After the limit it throws `STORE_OUTCOME_UNKNOWN` if the calls write, otherwise
   * `STORE_UNAVAILABLE`. The calls write if `isWriting` is true, or from the moment at which `work` calls `markWriting`.
   */
  withDeadline<T>(
    work: (markWriting: () => void) => Promise<T>,
    { isWriting }: { isWriting: boolean } = { isWriting: false },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const startedAt = this.#runtime.monotonic();
      const pending = new PendingCall(startedAt, 'ping', true, identity, resolve as Settle, reject);
      pending.isSent = isWriting;
      this.#deadlines.begin(pending);
      const end = (settle: Settle) => (value: unknown) => {
        if (this.#deadlines.end(pending)) settle(value);
      };
      work(() => (pending.isSent = true)).then(end(pending.resolve), end(reject));
    });
  }

  // The following methods use callbacks: each promise and each async function would be a large part of the cost of a call.
  #begin<T>(
    call: ScriptCall | PlainCommand,
    isWrite: boolean,
    convert: (reply: ScriptReply) => T | Promise<T>,
    startedAt: number = this.#runtime.monotonic(),
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const pending = new PendingCall(startedAt, call, isWrite, convert, resolve as Settle, reject);
      this.#deadlines.begin(pending);
      if (this.#clock.isKnown) this.#send(pending);
      else this.#measureAndSend(pending);
    });
  }

  #measureAndSend(pending: PendingCall): void {
    this.#clock.measure().then(
      () => {
        if (this.#runtime.monotonic() - pending.startedAt < this.timeoutMs) this.#send(pending);
      },
      (error: unknown) => this.#fail(pending, error),
    );
  }

  #send(pending: PendingCall): void {
    const fail = (error: unknown): void => this.#fail(pending, error);
    try {
      this.#passToClient(pending, fail);
    } catch (error) {
      fail(error);
    }
  }

  #passToClient(pending: PendingCall, fail: (error: unknown) => void): void {
    const { startedAt, call } = pending;
    this.#batcher.collect(this.#client);
    if (!pending.isSent) pending.connection = connectionOf(this.#client);
    pending.isSent = this.#client.status !== 'end';
    const succeed = (reply: unknown): void => this.#succeed(pending, reply as ScriptReply);
    if (call === 'ping') {
      this.#client.ping().then(succeed, fail);
      return;
    }
    if ('info' in call) {
      this.#client.info(call.info).then(succeed, fail);
      return;
    }
    const all: ScriptArgument[] = [...call.keys, this.#clock.deadline(startedAt, this.timeoutMs)];
    if (call.args) for (const arg of call.args) all.push(arg);
    if (pending.isWrite && this.#wait) {
      sendAndWait(this.#client, call, all, this.#wait).then(succeed, fail);
      return;
    }
    if (call.addCommands) {
      sendWithCommands(this.#client, call, all).then(succeed, fail);
      return;
    }
    sendScript(this.#client, call, all, true).then(succeed, (error: unknown) => {
      if (isNoScript(error)) sendScript(this.#client, call, all, false).then(succeed, fail);
      else fail(error);
    });
  }

  #succeed(pending: PendingCall, reply: ScriptReply): void {
    // Only scripts that write reply LATE. A script that reads may return data that looks the same.
    if (pending.isWrite && statusOf(reply) === 'LATE') {
      if (pending.hasRemeasuredClock || this.#runtime.monotonic() - pending.startedAt > this.timeoutMs / 2) {
        return this.#fail(pending, lateError(this.timeoutMs, this.#isSentAgain(pending)));
      }
      // By the clock of this process, the call is in time. So the server's clock has changed, or another server answers.
      pending.hasRemeasuredClock = true;
      this.#clock.invalidate();
      return this.#measureAndSend(pending);
    }
    if (!this.#deadlines.end(pending)) return;
    try {
      pending.resolve(pending.convert(reply));
    } catch (error) {
      pending.reject(error);
    }
  }

  #fail(pending: PendingCall, error: unknown): void {
    if (!TholeError.is(error)) this.#clock.invalidate();
    if (!this.#deadlines.end(pending)) return;
    const { isWrite, isSent } = pending;
    const call = { isWrite, isSent, isSentAgain: this.#isSentAgain(pending), server: describeServer(this.#client) };
    pending.reject(mapRedisError(error, call));
  }

  // After a reconnection, clients send calls without a reply again.
  #isSentAgain({ isSent, connection }: PendingCall): boolean {
    return isSent && connection !== undefined && connection !== connectionOf(this.#client);
  }

  #timeOut(pending: PendingCall): void {
    this.#clock.invalidate();
    const code = pending.isWrite && pending.isSent ? 'STORE_OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE';
    const { status } = this.#client;
    const state = status === 'ready' ? '' : ` The client is in the state "${status}".`;
    const errorCode = status === 'ready' ? undefined : connectionErrorCode(this.#client);
    const reason = errorCode === undefined ? '' : ` (${errorCode})`;
    const message = `${describeServer(this.#client)} did not answer within ${this.timeoutMs} ms${reason}.${state}`;
    pending.reject(new TholeError(code, message));
  }
}

function identity(reply: ScriptReply): ScriptReply {
  return reply;
}

function lateError(timeoutMs: number, isSentAgain: boolean): TholeError {
  const message = `Redis received the call after its time limit of ${timeoutMs} ms`;
  return isSentAgain
    ? new TholeError(
        'STORE_OUTCOME_UNKNOWN',
        `${message}. An earlier attempt, before the connection was cut, may have been done.`,
      )
    : new TholeError('STORE_UNAVAILABLE', `${message}. Nothing was written.`);
}
