import { grown } from '../index/grown.ts';
import { blockOf } from '../index/turn-table.ts';
import { SlotList } from './slot-list.ts';

const column = (): Float64Array => new Float64Array(64);

/** Columns that a ranking works in, kept from one search to the next; all zero in between. */
export class RankingRoom {
  /** By slot: BM25 of the turn's own words. */
  own: Float64Array = column();
  /** By slot: the first of its occurrences, counted from 1. */
  heads: Int32Array = new Int32Array(64);
  /** By slot: when a turn was said, and of what time it speaks, each from 0 to 1. */
  saidThen: Float64Array = column();
  aboutThen: Float64Array = column();
  /** Slots with a word of the query, and slots with a time. */
  readonly owners: SlotList = new SlotList();
  readonly dated: SlotList = new SlotList();
  /** Occurrences of the query's words, counted from 1: the word and how often (a byte), and the next one of the same turn. */
  occurrences: Int32Array = new Int32Array(64);
  nexts: Int32Array = new Int32Array(64);
  /** By session: BM25 of the session, and how often the word at hand stands in it. */
  sessions: Float64Array = column();
  sessionCounts: Int32Array = new Int32Array(64);
  readonly sessionsTouched: SlotList = new SlotList();
  readonly sessionsAtHand: SlotList = new SlotList();
  /** By block: no turn in it has more of these. */
  blockOwn: Float64Array = column();
  blockNear: Float64Array = column();
  blockAnswer: Float64Array = column();
  blockAhead: Float64Array = column();
  blockThen: Float64Array = column();
  blockAbout: Float64Array = column();
  /** By block: how often the word at hand stands in it and around it, in fifths. */
  blockCounts: Int32Array = new Int32Array(64);
  readonly blocks: SlotList = new SlotList();
  readonly blocksAtHand: SlotList = new SlotList();
  #blockTouched = new Uint8Array(64);

  makeRoom(slots: number, sessions: number, occurrences: number): void {
    while (this.occurrences.length <= occurrences) {
      this.occurrences = grown(this.occurrences);
      this.nexts = grown(this.nexts);
    }
    while (this.own.length < slots) {
      this.own = grown(this.own);
      this.heads = grown(this.heads);
      this.saidThen = grown(this.saidThen);
      this.aboutThen = grown(this.aboutThen);
    }
    while (this.sessions.length < sessions) {
      this.sessions = grown(this.sessions);
      this.sessionCounts = grown(this.sessionCounts);
    }
    while (this.blockOwn.length <= blockOf(slots)) {
      this.blockOwn = grown(this.blockOwn);
      this.blockNear = grown(this.blockNear);
      this.blockAnswer = grown(this.blockAnswer);
      this.blockAhead = grown(this.blockAhead);
      this.blockThen = grown(this.blockThen);
      this.blockAbout = grown(this.blockAbout);
      this.blockCounts = grown(this.blockCounts);
      this.#blockTouched = grown(this.#blockTouched);
    }
  }

  touch(block: number): void {
    if (this.#blockTouched[block] !== 0) return;
    this.#blockTouched[block] = 1;
    this.blocks.push(block);
  }

  /** Makes all zero again. */
  clear(): void {
    for (let i = 0; i < this.owners.length; i++) {
      const slot = this.owners.at(i);
      this.own[slot] = 0;
      this.heads[slot] = 0;
    }
    for (let i = 0; i < this.dated.length; i++) {
      const slot = this.dated.at(i);
      this.saidThen[slot] = 0;
      this.aboutThen[slot] = 0;
    }
    for (let i = 0; i < this.sessionsTouched.length; i++) this.sessions[this.sessionsTouched.at(i)] = 0;
    for (let i = 0; i < this.blocks.length; i++) this.#clearBlock(this.blocks.at(i));
    for (const list of [this.owners, this.dated, this.sessionsTouched, this.blocks]) list.length = 0;
  }

  #clearBlock(block: number): void {
    this.#blockTouched[block] = 0;
    this.blockOwn[block] = 0;
    this.blockNear[block] = 0;
    this.blockAnswer[block] = 0;
    this.blockAhead[block] = 0;
    this.blockThen[block] = 0;
    this.blockAbout[block] = 0;
  }
}
