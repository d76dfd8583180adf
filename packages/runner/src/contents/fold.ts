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
 * Contents that are updated as a log grows. They equal the result of `buildContents` for the whole log, but only new events
 * are processed. Use one object for each agent and branch. It starts again for another agent or log, when the log's epoch
 * changes, and when `selectHistory` selects other earlier events.
 */
export class ContentsFold {
  #log: EventLog | undefined;
  #epoch = 0;
  #viewer: Viewer | undefined;
  #readCount = 0;
  #included!: Event[];
  /** True if the log contains a rewind or a compaction. Otherwise, included events never disappear. */
  #hasMarkers = false;
  /** The log that `selectHistory` receives, created at its first use. */
  #selectable: SessionLog | undefined;
  /** The selected events. The same array as `#included` while all of them are selected. */
  #visible!: Event[];
  #choice: ReturnType<SelectHistory>;
  #settled!: SettledContents;

  /** Returns the contents in a new array. The contents are frozen and shared. */
  contentsOf(log: EventLog, request: ContentsRequest): readonly Content[] {
    if (!this.#canContinue(log, request)) this.#begin(log, request);
    // Set again at the end. If `selectHistory` throws, the next call starts again.
    this.#log = undefined;
    const before = this.#included.length;
    if (this.#readNew(log, request)) this.#choose(before, request);
    else this.#readAll(log, request);
    this.#log = log;
    this.#readCount = log.length;
    if (request.includeContents === 'default') return this.#settled.contentsOf(this.#visible, request);
    return renderEvents(currentTurn(this.#visible, request.agentName), request);
  }

  #canContinue(log: EventLog, { agentName, branch, includeContents }: ContentsRequest): boolean {
    const viewer = this.#viewer;
    if (log !== this.#log || log.epoch !== this.#epoch || log.length < this.#readCount) return false;
    return agentName === viewer?.agentName && branch === viewer.branch && includeContents === viewer.includeContents;
  }

  #begin(log: EventLog, { agentName, branch, includeContents }: ContentsRequest): void {
    this.#epoch = log.epoch;
    this.#viewer = { agentName, branch, includeContents };
    this.#readCount = 0;
    this.#included = [];
    this.#hasMarkers = false;
    this.#selectable = undefined;
    this.#visible = this.#included;
    this.#choice = undefined;
    this.#settled = new SettledContents();
  }

  /**
   * Adds the new events that the agent may see. Returns false at a rewind or a compaction, after which all events
   * must be read again.
   */
  #readNew(log: EventLog, { branch }: ContentsRequest): boolean {
    for (let i = this.#readCount; i < log.length; i++) {
      const event = log.at(i)!;
      const shape = shapeOf(event);
      if (shape & (Shape.rewind | Shape.compaction)) return false;
      const shown = includeEvent(event, shape, branch);
      if (!shown) continue;
      this.#included.push(shown);
      this.#selectable?.push(shown);
    }
    return true;
  }

  #readAll(log: EventLog, request: ContentsRequest): void {
    this.#begin(log, request);
    this.#hasMarkers = true;
    this.#included = includeEvents(applyRewinds([...log]), request.branch);
    this.#select(this.#callSelectHistory(request), request);
  }

  /** Adds the included events from this index on, or selects all again if the selection has changed. */
  #choose(firstNew: number, request: ContentsRequest): void {
    const choice = this.#callSelectHistory(request);
    if (!isSameRule(choice, this.#choice)) return this.#select(choice, request);
    if (this.#visible === this.#included) return;
    for (let i = firstNew; i < this.#included.length; i++) {
      const event = this.#included[i]!;
      if (choice === undefined || isFrom(event, choice.fromSeq)) this.#visible.push(event);
    }
  }

  #callSelectHistory({ selectHistory }: ContentsRequest): ReturnType<SelectHistory> {
    return selectHistory?.((this.#selectable ??= new SessionLog(this.#included)));
  }

  #select(choice: ReturnType<SelectHistory>, request: ContentsRequest): void {
    const selected = selectEvents(this.#included, choice);
    const visible = this.#hasMarkers ? withSummaries(selected, request) : selected;
    if (!this.#settled.isBeginningOf(visible)) this.#settled = new SettledContents();
    this.#visible = visible === this.#included ? this.#included : [...visible];
    this.#choice = choice;
  }
}

/** The members of a request for which a fold is valid. */
type Viewer = Pick<ContentsRequest, 'agentName' | 'branch' | 'includeContents'>;

const withSummaries = (events: readonly Event[], { includeContents }: ContentsRequest): readonly Event[] =>
  includeContents === 'default' ? applyCompactions(events) : dropCompactions(events);

/** True if both selections are the same rule, which also applies to later events. False for lists of events. */
function isSameRule(
  choice: ReturnType<SelectHistory>,
  before: ReturnType<SelectHistory>,
): choice is { readonly fromSeq: number } | undefined {
  if (choice === undefined || before === undefined) return choice === before;
  return 'fromSeq' in choice && 'fromSeq' in before && choice.fromSeq === before.fromSeq;
}
