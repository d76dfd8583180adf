import type { Content, Event, EventLog } from '@thole/core';
import { applyRewinds } from '../history/apply-rewinds.ts';
import { Shape, shapeOf } from '../history/event-shape.ts';
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
  #asked: Viewer | undefined;
  #seen = 0;
  #included!: Event[];
  /** Whether a rewind or a compaction was ever seen: without one, nothing that is included goes away again. */
  #hasMarkers = false;
  /** What `selectHistory` is shown, made when it is first asked. */
  #shown: SessionLog | undefined;
  /** The same array as `#included` while all of that is to be seen. */
  #visible!: Event[];
  #choice: ReturnType<SelectHistory>;
  #settled!: SettledContents;

  /** An array of its own; the contents are frozen and shared. */
  contentsOf(log: EventLog, request: ContentsRequest): readonly Content[] {
    if (!this.#goesOn(log, request)) this.#begin(log, request);
    // Until it is done, so that where `selectHistory` throws the next call begins anew.
    this.#log = undefined;
    const before = this.#included.length;
    if (this.#take(log, request)) this.#choose(before, request);
    else this.#takeAll(log, request);
    this.#log = log;
    this.#seen = log.length;
    if (request.includeContents === 'default') return this.#settled.contentsOf(this.#visible, request);
    return renderEvents(currentTurn(this.#visible, request.agentName), request);
  }

  #goesOn(log: EventLog, { agentName, branch, includeContents }: ContentsRequest): boolean {
    const asked = this.#asked;
    if (log !== this.#log || log.epoch !== this.#epoch || log.length < this.#seen) return false;
    return agentName === asked?.agentName && branch === asked.branch && includeContents === asked.includeContents;
  }

  #begin(log: EventLog, { agentName, branch, includeContents }: ContentsRequest): void {
    this.#epoch = log.epoch;
    this.#asked = { agentName, branch, includeContents };
    this.#seen = 0;
    this.#included = [];
    this.#hasMarkers = false;
    this.#shown = undefined;
    this.#visible = this.#included;
    this.#choice = undefined;
    this.#settled = new SettledContents();
  }

  /** Includes the new events that the agent may see; false at a rewind or a compaction, for which all have to be taken anew. */
  #take(log: EventLog, { branch }: ContentsRequest): boolean {
    for (let i = this.#seen; i < log.length; i++) {
      const event = log.at(i)!;
      const shape = shapeOf(event);
      if (shape & (Shape.rewind | Shape.compaction)) return false;
      const shown = includeEvent(event, shape, branch);
      if (!shown) continue;
      this.#included.push(shown);
      this.#shown?.push(shown);
    }
    return true;
  }

  #takeAll(log: EventLog, request: ContentsRequest): void {
    this.#begin(log, request);
    this.#hasMarkers = true;
    this.#included = includeEvents(applyRewinds([...log]), request.branch);
    this.#select(this.#chosen(request), request);
  }

  /** Shows the new ones of the included events, which begin at this index, or another choice of all. */
  #choose(fresh: number, request: ContentsRequest): void {
    const choice = this.#chosen(request);
    if (!isSameRule(choice, this.#choice)) return this.#select(choice, request);
    if (this.#visible === this.#included) return;
    for (let i = fresh; i < this.#included.length; i++) {
      const event = this.#included[i]!;
      if (choice === undefined || isFrom(event, choice.fromSeq)) this.#visible.push(event);
    }
  }

  #chosen({ selectHistory }: ContentsRequest): ReturnType<SelectHistory> {
    return selectHistory?.((this.#shown ??= new SessionLog(this.#included)));
  }

  #select(choice: ReturnType<SelectHistory>, request: ContentsRequest): void {
    const selected = selectEvents(this.#included, choice);
    const visible = this.#hasMarkers ? withSummaries(selected, request) : selected;
    if (!this.#settled.isBeginningOf(visible)) this.#settled = new SettledContents();
    this.#visible = visible === this.#included ? this.#included : [...visible];
    this.#choice = choice;
  }
}

/** What makes a fold another one. */
type Viewer = Pick<ContentsRequest, 'agentName' | 'branch' | 'includeContents'>;

const withSummaries = (events: readonly Event[], { includeContents }: ContentsRequest): readonly Event[] =>
  includeContents === 'default' ? applyCompactions(events) : dropCompactions(events);

/** Whether a choice holds for events that come later too, and is the one there was. A list is looked at each time. */
function isSameRule(
  choice: ReturnType<SelectHistory>,
  before: ReturnType<SelectHistory>,
): choice is { readonly fromSeq: number } | undefined {
  if (choice === undefined || before === undefined) return choice === before;
  return 'fromSeq' in choice && 'fromSeq' in before && choice.fromSeq === before.fromSeq;
}
