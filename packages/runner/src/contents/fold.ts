import type { Content, Event, EventLog } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
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
 * Contents that are updated as a log grows: equal to `buildContents` on the whole list, at the cost of the new
 * events and a copy of the array. Keep one for each agent and branch. It starts again for another agent or log, when
 * the log's epoch changes, and when `selectHistory` chooses differently among earlier events.
 */
export class ContentsFold {
  #log: EventLog | undefined;
  #epoch = 0;
  #asked: Viewer | undefined;
  #seen = 0;
  #included!: Event[];
  /** True if a rewind or a compaction was seen: without one, included events never disappear. */
  #hasMarkers = false;
  /** The log that `selectHistory` receives, created at its first use. */
  #shown: SessionLog | undefined;
  /** The same array as `#included` while all of it is visible. */
  #visible!: Event[];
  #choice: ReturnType<SelectHistory>;
  #settled!: SettledContents;

  /** Returns a new array; its contents are frozen and shared. */
  contentsOf(log: EventLog, request: ContentsRequest): readonly Content[] {
    if (!this.#goesOn(log, request)) this.#begin(log, request);
    // Cleared until the end, so that the next call starts again if `selectHistory` throws.
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

  /**
   * Adds the new events that the agent may see. Returns false at a rewind or a compaction, after which all events
   * must be read again.
   */
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

  /** Shows the new included events from this index on, or another selection of all. */
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

/** The members that identify a fold. */
type Viewer = Pick<ContentsRequest, 'agentName' | 'branch' | 'includeContents'>;

const withSummaries = (events: readonly Event[], { includeContents }: ContentsRequest): readonly Event[] =>
  includeContents === 'default' ? applyCompactions(events) : dropCompactions(events);

/** True if a selection is the previous one and also applies to later events. A list is compared each time. */
function isSameRule(
  choice: ReturnType<SelectHistory>,
  before: ReturnType<SelectHistory>,
): choice is { readonly fromSeq: number } | undefined {
  if (choice === undefined || before === undefined) return choice === before;
  return 'fromSeq' in choice && 'fromSeq' in before && choice.fromSeq === before.fromSeq;
}
