import type { Content, Event, EventLog } from '@thole/core';
import { applyRewinds } from '../history/apply-rewinds.ts';
import { compactionOf } from '../history/compaction-of.ts';
import { rewindOf } from '../history/rewind-of.ts';
import { SessionLog } from '../history/session-log.ts';
import { applyCompactions, dropCompactions } from './apply-compactions.ts';
import type { ContentsRequest, SelectHistory } from './contents-request.ts';
import { currentTurn } from './current-turn.ts';
import { includeEvent, includeEvents } from './include-events.ts';
import { renderEvents } from './render-events.ts';
import { isFrom, selectEvents } from './select-events.ts';
import { SettledContents } from './settled-contents.ts';

/**
 * Contents kept up while a log grows: what `buildContents` gives on the whole list, for the price of the new events and a
 * copy of the array. Keep one for each agent and branch; asked for others, or given another log, it begins anew. So it
 * does when the log's epoch moves or `selectHistory` chooses otherwise among the events that it has done with.
 */
export class ContentsFold {
  #log: EventLog | undefined;
  #epoch = 0;
  #asked: ContentsRequest | undefined;
  #seen = 0;
  #included: Event[] = [];
  /** What `selectHistory` is shown, made when it is first asked. */
  #shown: SessionLog | undefined;
  #visible: Event[] = [];
  #choice: ReturnType<SelectHistory>;
  #settled = new SettledContents();

  /** An array of its own; the contents are frozen and shared. */
  contentsOf(log: EventLog, request: ContentsRequest): readonly Content[] {
    const fresh = this.#take(log, request);
    this.#choose(fresh, request);
    this.#seen = log.length;
    if (request.includeContents === 'default') return this.#settled.contentsOf(this.#visible, request);
    return renderEvents(currentTurn(this.#visible, request.agentName), request);
  }

  /** The new events that the agent may see; undefined where everything had to be taken anew. */
  #take(log: EventLog, request: ContentsRequest): Event[] | undefined {
    if (!this.#goesOn(log, request)) return this.#takeAll(log, request);
    const fresh: Event[] = [];
    for (let i = this.#seen; i < log.length; i++) {
      const event = log.at(i)!;
      if (rewindOf(event) !== undefined || compactionOf(event)) return this.#takeAll(log, request);
      const shown = includeEvent(event, request.branch);
      if (shown) fresh.push(shown);
    }
    for (const event of fresh) {
      this.#included.push(event);
      this.#shown?.push(event);
    }
    return fresh;
  }

  #goesOn(log: EventLog, { agentName, branch, includeContents }: ContentsRequest): boolean {
    const asked = this.#asked;
    if (log !== this.#log || log.epoch !== this.#epoch || log.length < this.#seen) return false;
    return agentName === asked?.agentName && branch === asked.branch && includeContents === asked.includeContents;
  }

  #takeAll(log: EventLog, request: ContentsRequest): undefined {
    this.#log = log;
    this.#epoch = log.epoch;
    this.#asked = request;
    const events = Array.from({ length: log.length }, (_, i) => log.at(i)!);
    this.#included = includeEvents(applyRewinds(events), request.branch);
    this.#shown = undefined;
    this.#settled = new SettledContents();
  }

  #choose(fresh: readonly Event[] | undefined, request: ContentsRequest): void {
    const choice = request.selectHistory?.((this.#shown ??= new SessionLog(this.#included)));
    if (fresh && isSameRule(choice, this.#choice)) {
      for (const event of fresh) if (choice === undefined || isFrom(event, choice.fromSeq)) this.#visible.push(event);
      return;
    }
    const selected = selectEvents(this.#included, choice);
    const visible = [
      ...(request.includeContents === 'default' ? applyCompactions(selected) : dropCompactions(selected)),
    ];
    if (!this.#settled.isBeginningOf(visible)) this.#settled = new SettledContents();
    this.#visible = visible;
    this.#choice = choice;
  }
}

/** Whether a choice holds for events that come later too, and is the one there was. A list is looked at each time. */
function isSameRule(
  choice: ReturnType<SelectHistory>,
  before: ReturnType<SelectHistory>,
): choice is { readonly fromSeq: number } | undefined {
  if (choice === undefined || before === undefined) return choice === before;
  return 'fromSeq' in choice && 'fromSeq' in before && choice.fromSeq === before.fromSeq;
}
