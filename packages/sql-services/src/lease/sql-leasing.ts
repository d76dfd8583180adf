import { readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { TholeError } from '@thole/core';
import { LeaseProcesses } from '@thole/core/kit';
import type { Lease, LeaseInfo, LeaseRequest, LeaseManager, Runtime, SessionHead, SessionRef } from '@thole/core';
import type { SqlStorage } from '../client/sql-storage.ts';
import type { Row, Steps } from '../client/sql-database.ts';
import { columnText } from '../session/row-values.ts';
import { HeldLeases } from './held-leases.ts';
import { decodeHolder, decodeName, LeaseSteps } from './lease-steps.ts';
import type { Answer, Asking } from './lease-steps.ts';
import { LocalLines } from './local-lines.ts';
import { SqlLease } from './sql-lease.ts';
import type { LeaseOwner } from './sql-lease.ts';

/** How many leases of an app are read at once. */
const PAGE = 100;

/**
 * Leases among all processes that share the database, by its clock. Who waits has a place in line there, asks now and then
 * whether its turn has come, and is woken at once by a release in its own process.
 */
export class SqlLeasing implements LeaseManager, LeaseOwner {
  readonly #storage: SqlStorage;
  readonly #runtime: Runtime;
  readonly #pollMs: number;
  readonly #steps: LeaseSteps;
  readonly #held: HeldLeases;
  readonly #lines: LocalLines;
  readonly #processes: LeaseProcesses = new LeaseProcesses({
    readText: (path) => readFileSync(path, 'utf8'),
    readLink: (path) => readlinkSync(path),
    kill,
  });

  constructor(storage: SqlStorage, pollMs: number) {
    this.#storage = storage;
    this.#runtime = storage.runtime;
    this.#pollMs = pollMs;
    this.#lines = new LocalLines(storage.runtime);
    this.#steps = new LeaseSteps(storage.dialect, storage.tables);
    this.#held = new HeldLeases(this.#runtime, pollMs, async (fences) => storage.read(() => this.#steps.poll(fences)));
  }

  async lease(key: SessionRef, request: LeaseRequest): Promise<Lease> {
    request.signal?.throwIfAborted();
    const place = this.#lines.enter(key);
    const fence = this.#runtime.newId('fence');
    let ticket: number | undefined;
    let dead: string | undefined;
    try {
      const deadline = this.#runtime.monotonic() + request.waitMs;
      for (;;) {
        const change = place.listen();
        try {
          const answer = await place.inTurn(() => this.#ask(key, request, { fence, ticket, dead }));
          if (answer.kind === 'given') {
            ticket = undefined;
            return await this.#taken(key, request, fence, answer.head);
          }
          if (answer.kind === 'overtaken') throw overtaken(request);
          const isNew = ticket === undefined;
          ({ ticket } = answer);
          // The process that holds the session has died and will never release it.
          if (answer.heldFence !== dead && this.#processes.isDead(answer.heldProcess)) {
            dead = answer.heldFence;
            continue;
          }
          // The run that it overtook looks again at once.
          if (isNew && ticket !== undefined && request.policy === 'interrupt') this.#lines.wake(key);
          const left = deadline - this.#runtime.monotonic();
          if (answer.kind === 'refused' || left <= 0) throw this.#busy(key, request, answer);
          if (answer.interrupted !== undefined) this.#held.get(answer.interrupted)?.tellStop(request.invocationId);
          await change.orTime(await this.#pause(answer, left), request.signal);
          request.signal?.throwIfAborted();
        } finally {
          change.end();
        }
      }
    } catch (error) {
      // The lease may stand in the database, and nobody would let go of it before it runs out.
      if (TholeError.is(error, 'STORE_OUTCOME_UNKNOWN'))
        void this.#giveBack(() => this.#steps.release(this.#bind(key), fence));
      throw error;
    } finally {
      const left = ticket;
      if (left !== undefined) await place.inTurn(() => this.#giveBack(() => this.#steps.leave(left)));
      place.leave();
    }
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    const row = await this.#storage.read(() => this.#steps.current(this.#bind(key)));
    return row && this.#infoOf(key, row, await this.#storage.clock.now());
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    const { bindName } = this.#storage.dialect;
    let after: readonly [string | Uint8Array, string | Uint8Array] = [bindName(''), bindName('')];
    for (;;) {
      const rows = await this.#storage.read(() => this.#steps.ofApp(bindName(appName), after, PAGE));
      const now = await this.#storage.clock.now();
      for (const row of rows) {
        const key = { appName, userId: columnText(row['user_id']), sessionId: columnText(row['session_id']) };
        yield this.#infoOf(key, row, now);
        after = [bindName(key.userId), bindName(key.sessionId)];
      }
      if (rows.length < PAGE) return;
    }
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<boolean> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const steps = (): Steps<string | undefined> => this.#steps.requestStop(this.#bind(key), invocationId, now);
    const fence = await this.#storage.transact(steps, { deadline });
    if (fence === undefined) return false;
    this.#held.get(fence)?.tellStop(undefined);
    return true;
  }

  async renew(lease: SqlLease): Promise<SessionHead | undefined> {
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const key = this.#bind(lease.key);
    const steps = (): ReturnType<LeaseSteps['renew']> => this.#steps.renew(key, lease.fence, now, lease.ttlMs);
    const renewed = await this.#storage.transact(steps, { deadline });
    if (renewed) return renewed.head;
    this.#held.remove(lease);
    throw lease.tellLost();
  }

  async release(lease: SqlLease): Promise<boolean> {
    this.#held.remove(lease);
    await this.#storage.write(() => this.#steps.release(this.#bind(lease.key), lease.fence));
    this.#lines.wake(lease.key);
    return true;
  }

  async #taken(
    key: SessionRef,
    request: LeaseRequest,
    fence: string,
    head: SessionHead | undefined,
  ): Promise<SqlLease> {
    const lease = new SqlLease(this, { key: { ...key }, fence, request, head });
    this.#held.add(lease);
    if (request.signal?.aborted) {
      await lease.release();
      throw request.signal.reason;
    }
    return lease;
  }

  async #ask(key: SessionRef, request: LeaseRequest, own: Pick<Asking, 'fence' | 'ticket' | 'dead'>): Promise<Answer> {
    const { invocationId, holder, policy, maxWaiting, ttlMs, cleanupMs } = request;
    const deadline = this.#storage.deadline();
    const now = await this.#storage.clock.now(deadline);
    const asking = {
      ...{ ...own, key: this.#bind(key), now, process: this.#processes.own },
      ...{ invocationId, holder, policy, maxWaiting, ttlMs, cleanupMs },
    };
    for (;;) {
      // Two that found no lease at the same moment: the row of the faster one is there now.
      const onDuplicate = (): undefined => undefined;
      const steps = (): Steps<Answer | undefined> => this.#steps.ask(asking);
      const answer = await this.#storage.transact(steps, { onDuplicate, deadline });
      if (answer) return answer;
    }
  }

  // Cut short where the lease ends before: then it is free.
  async #pause(answer: Exclude<Answer, { kind: 'given' | 'overtaken' }>, leftMs: number): Promise<number> {
    const until = answer.heldUntil;
    const untilEnd = until === undefined ? Infinity : (until - (await this.#storage.clock.now())) * 1000;
    const poll = this.#pollMs * (0.5 + this.#runtime.random());
    return Math.max(1, Math.min(poll, leftMs, untilEnd));
  }

  async #giveBack(steps: () => Steps<void>): Promise<void> {
    try {
      await this.#storage.write(steps);
    } catch (error) {
      // What was not given back runs out by itself.
      this.#runtime.logger.warn('A lease or a place in line could not be given back.', { error: String(error) });
    }
  }

  #busy(key: SessionRef, request: LeaseRequest, answer: Exclude<Answer, { kind: 'given' | 'overtaken' }>): TholeError {
    const { heldBy = 'that is about to begin', waiting } = answer;
    const held = `Session ${key.sessionId} is held by invocation ${heldBy}`;
    if (answer.kind === 'waits') return new TholeError('SESSION_BUSY', `${held}; waited ${request.waitMs} ms.`);
    const line = request.policy === 'reject' ? '' : `, and ${waiting} more wait for it`;
    return new TholeError('SESSION_BUSY', `${held}${line}.`);
  }

  #infoOf(key: SessionRef, row: Row, now: number): LeaseInfo {
    const expiresAt = Number(row['expires_at']);
    return {
      key: { ...key },
      invocationId: decodeName(row['invocation_id']),
      holder: decodeHolder(row['holder']).holder,
      expiresAt: this.#storage.clock.toLocal(expiresAt),
      expired: expiresAt <= now,
    };
  }

  #bind(key: SessionRef): (string | Uint8Array)[] {
    return [key.appName, key.userId, key.sessionId].map(this.#storage.dialect.bindName);
  }
}

function overtaken({ invocationId }: LeaseRequest): TholeError {
  return new TholeError('RUN_INTERRUPTED', `Invocation ${invocationId} gave way to a newer invocation.`);
}
