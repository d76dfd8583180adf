import { TholeError } from '@thole/core';
import type { Content, Event } from '@thole/core';
import { AgentContext } from '../contexts/agent-context.ts';
import type { CheckedInput } from './run-request.ts';
import { Committer } from './committer.ts';
import type { Committing } from './committer.ts';
import { Delivery } from './delivery.ts';
import type { Delivering } from './delivery.ts';
import { assertAnswers, findAgentToRun } from '../history/find-agent-to-run.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { RunScope } from './run-scope.ts';
import { storeAnswerInstead } from './store-answer-instead.ts';
import { storeMessage } from './store-message.ts';
import { PendingChanges } from '../contexts/pending-changes.ts';

/** The run whose work it is. */
export type Working = RunScope & Committing & Delivering;

/** What a run does once its session is open: its message goes in, then its agent's steps follow, each event on its way to the reader. */
export class OpenRun {
  readonly live: LiveSession;
  /** The context of all agents of the tree. */
  readonly root: AgentContext;
  readonly committer: Committer;
  readonly delivery: Delivery;
  userContent: Content = {};
  /** Whether the session holds something of the run, so that it is to hold its end too. */
  isRecorded: boolean = false;
  /** Undefined where a plugin has answered in the agent's place, and before there are any. */
  steps: AsyncGenerator<Event, void, Event | undefined> | undefined;
  readonly #run: Working;

  constructor(run: Working, live: LiveSession, fence: string | undefined) {
    this.#run = run;
    this.live = live;
    const strand = new PendingChanges({ view: live, temp: run.temp, unstored: run.unstored, guard: run.assertOpen });
    this.root = new AgentContext(run, run.host.tree.root, { strand, span: run.trace?.root });
    this.committer = new Committer(run, fence);
    this.delivery = new Delivery(run, this.committer);
  }

  /** Stores the message that begins the run; from then on the session is to hold the run's end too. */
  async takeMessage(input: CheckedInput, p: { yieldsMessage: boolean }): Promise<void> {
    assertAnswers(this.live.log, input.message);
    this.isRecorded = true;
    this.userContent = input.message;
    let stored: Event;
    try {
      stored = await storeMessage(this.root, input, (message) => (this.userContent = message));
    } catch (error) {
      // Of a message that the store refuses there is nothing to record.
      if (TholeError.is(error, 'VALUE_TOO_LARGE') || TholeError.is(error, 'INVALID_INPUT')) this.isRecorded = false;
      throw error;
    }
    // What was stored counts: a plugin may have changed it, or dropped it.
    if (stored.content) this.userContent = stored.content;
    if (p.yieldsMessage && stored.seq !== undefined) await this.delivery.handOver(stored);
    this.#run.throwIfStopped();
  }

  /** Whether a plugin has answered in the agent's place; its answer is on its way then. */
  async isAnsweredInstead(): Promise<boolean> {
    const answer = await storeAnswerInstead(this.root);
    if (!answer) return false;
    await this.delivery.handOver(answer);
    this.#run.throwIfStopped();
    return true;
  }

  /** The steps of the agent whose turn it is. */
  begin(): AsyncGenerator<Event, void, Event | undefined> {
    const agent = findAgentToRun(this.live.log, this.#run.host.tree, this.userContent);
    return (this.steps = this.root.runAgent(agent));
  }
}
