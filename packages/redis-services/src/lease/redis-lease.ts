import { TholeError } from '@thole/core';
import type { CancelTimer, Lease, LeaseRequest, Runtime, SessionHead, SessionRef } from '@thole/core';
import type { LeaseCommands } from './lease-commands.ts';

type Which = 'lost' | 'stop';

/**
 * The hold of one invocation. It looks every `pollMs` whether another run asks it to stop or took it away. Where the server does not
 * answer when it has run out, it is lost.
 */
export class RedisLease implements Lease {
  readonly fence: string;
  readonly invocationId: string;
  readonly head: SessionHead | undefined;
  readonly #key: SessionRef;
  readonly #request: LeaseRequest;
  readonly #p: { commands: LeaseCommands; runtime: Runtime; pollMs: number; ended: () => void };
  // Signals are made when somebody asks for them: most holders listen by onEnd.
  readonly #controllers: { [W in Which]?: AbortController } = {};
  readonly #reasons: { [W in Which]?: TholeError } = {};
  #released = false;
  #expiry: CancelTimer | undefined;
  #poll: CancelTimer | undefined;

  constructor(
    key: SessionRef,
    token: string,
    request: LeaseRequest,
    head: SessionHead | undefined,
    p: { commands: LeaseCommands; runtime: Runtime; pollMs: number; ended: () => void },
  ) {
    this.#key = key;
    this.fence = token;
    this.invocationId = request.invocationId;
    this.#request = request;
    this.head = head;
    this.#p = p;
  }

  get lost(): AbortSignal {
    return this.#signal('lost');
  }
  get stop(): AbortSignal {
    return this.#signal('stop');
  }

  /** Holds for so long, from now on. */
  begin(leftMs: number): void {
    this.#expireIn(leftMs);
    this.#pollLater();
  }

  async renew(): Promise<SessionHead | undefined> {
    const { commands, runtime } = this.#p;
    if (this.#reasons.lost) throw this.#reasons.lost;
    const asked = runtime.monotonic();
    const renewed = await commands.renew(this.#key, this.fence, this.#request.ttlMs);
    if (!renewed) {
      this.tell('lost', this.#lostError());
      throw this.#reasons.lost ?? this.#lostError();
    }
    this.#expireIn(asked + renewed.leftMs - runtime.monotonic());
    return renewed.head;
  }

  async release(): Promise<boolean> {
    if (this.#released) return true;
    this.#end();
    try {
      await this.#p.commands.release(this.#key, this.fence);
      return true;
    } finally {
      this.#p.ended();
    }
  }

  /** Looks at the lease now, and tells what it finds; false where the server does not answer. Never rejects. */
  async look(): Promise<boolean> {
    const { commands, runtime } = this.#p;
    const asked = runtime.monotonic();
    try {
      const seen = await commands.look(this.#key);
      if (this.#released) return true;
      if (seen?.token !== this.fence) this.tell('lost', this.#lostError());
      // One that ran out holds until another run takes it.
      else if (!seen.info.expired) this.#expireIn(asked + seen.leftMs - runtime.monotonic());
      if (seen && seen.why !== '') this.tell('stop', stopError(this.invocationId, seen.by));
      return true;
    } catch {
      // The timer says when it is over.
      return false;
    }
  }

  /** Tells the holder, by the signal and by `onEnd`, each once. */
  tell(which: Which, error: TholeError): void {
    if (this.#released || this.#reasons[which]) return;
    this.#reasons[which] = error;
    if (which === 'lost') this.#end();
    this.#controllers[which]?.abort(error);
    this.#request.onEnd?.(error);
    if (which === 'lost') this.#p.ended();
  }

  #signal(which: Which): AbortSignal {
    const controller = (this.#controllers[which] ??= new AbortController());
    if (this.#reasons[which]) controller.abort(this.#reasons[which]);
    return controller.signal;
  }

  #expireIn(ms: number): void {
    if (this.#released) return;
    this.#expiry?.();
    this.#expiry = this.#p.runtime.timer(Math.max(0, ms), () => {
      void this.look().then((answered) => answered || this.tell('lost', this.#lostError()));
    });
  }

  #pollLater(): void {
    if (this.#released) return;
    this.#poll = this.#p.runtime.timer(this.#p.pollMs, () => {
      void this.look().then(() => this.#pollLater());
    });
  }

  #end(): void {
    this.#released = true;
    this.#expiry?.();
    this.#poll?.();
  }

  #lostError(): TholeError {
    return new TholeError('LEASE_LOST', `Invocation ${this.invocationId} no longer holds its session.`);
  }
}

/** What a holder hears that is asked to stop: by a newer invocation, or by somebody who cancels it. */
export function stopError(invocationId: string, by: string): TholeError {
  return by === ''
    ? new TholeError('RUN_ABORTED', `Invocation ${invocationId} was cancelled.`)
    : new TholeError('RUN_INTERRUPTED', `Invocation ${invocationId} gave way to invocation ${by}.`);
}

/** The error of a run that waits to interrupt another and is overtaken by a newer one. */
export function overtakenError(invocationId: string): TholeError {
  return new TholeError('RUN_INTERRUPTED', `Invocation ${invocationId} gave way to a newer invocation.`);
}
