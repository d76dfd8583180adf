import { describe, expect, it } from 'vitest';
import { toEntries } from '../page/conversation/entries.ts';
import { findRequests } from '../page/state/find-requests.ts';
import { anEvent } from './an-event.ts';

const question = anEvent(1, { author: 'user', parts: [{ text: 'Book a room.' }] });
const call = anEvent(2, { parts: [{ functionCall: { id: 'c1', name: 'book_room', args: { room: 12 } } }] });
const answer = anEvent(3, {
  parts: [{ functionResponse: { id: 'c1', name: 'book_room', response: { booked: true } } }],
});
const reply = anEvent(4, { parts: [{ text: 'Booked.' }] });

const shape = (events: Parameters<typeof toEntries>[0]) =>
  toEntries(events).map((entry) => [entry.event.id, entry.head, ...entry.blocks.map((block) => block.kind)]);

describe('toEntries', () => {
  it('shows a tool’s answer with its call and not as a separate row', () => {
    expect(shape([question, call, answer, reply])).toEqual([
      ['event-1', true, 'text'],
      ['event-2', true, 'tool'],
      ['event-4', false, 'text'],
    ]);
    const [, row] = toEntries([question, call, answer, reply]);
    expect(row!.blocks[0]).toEqual({
      kind: 'tool',
      tool: {
        call: { id: 'c1', name: 'book_room', args: { room: 12 } },
        response: { id: 'c1', name: 'book_room', response: { booked: true } },
        answerEvent: answer,
        state: 'done',
        tookMs: 1_000,
      },
    });
  });

  it('assigns answers to concurrent calls by id, in any order', () => {
    const two = anEvent(2, {
      parts: [
        { functionCall: { id: 'a', name: 'slow', args: {} } },
        { functionCall: { id: 'b', name: 'quick', args: {} } },
      ],
    });
    const quick = anEvent(3, { parts: [{ functionResponse: { id: 'b', name: 'quick', response: {} } }] });
    const slow = anEvent(5, {
      parts: [{ functionResponse: { id: 'a', name: 'slow', response: { error: 'Too slow.' } } }],
    });
    const blocks = toEntries([two, quick, slow])[0]!.blocks;
    expect(
      blocks.map((block) => block.kind === 'tool' && [block.tool.call.name, block.tool.state, block.tool.tookMs]),
    ).toEqual([
      ['slow', 'failed', 3_000],
      ['quick', 'done', 1_000],
    ]);
  });

  it('shows a call as waiting until a person answers, also after a first result', () => {
    const waits = { ...call, longRunningToolIds: ['c1'] };
    const first = {
      ...answer,
      content: { parts: [{ functionResponse: { id: 'c1', name: 'book_room', response: { status: 'pending' } } }] },
    };
    const userAnswer = anEvent(9, {
      author: 'user',
      parts: [{ functionResponse: { id: 'c1', name: 'book_room', response: { ok: true } } }],
    });
    const stateOf = (events: Parameters<typeof toEntries>[0]) => {
      const block = toEntries(events)[1]!.blocks[0]!;
      return block.kind === 'tool' && block.tool.state;
    };
    expect(stateOf([question, waits, first])).toBe('waiting');
    const openIn = (events: Parameters<typeof toEntries>[0]) =>
      [...findRequests(events).open].map(({ call }) => call.id);
    expect(openIn([question, waits, first])).toEqual(['c1']);
    expect(stateOf([question, waits, first, userAnswer])).toBe('done');
    expect(openIn([question, waits, first, userAnswer])).toEqual([]);
    expect(shape([question, waits, first, userAnswer]).at(-1)).toEqual(['event-9', true, 'answer']);
  });

  it('shows an answer whose call is missing, as in a window of a session', () => {
    expect(shape([answer])).toEqual([['event-3', true, 'answer']]);
  });

  it('has no row for events without content to show', () => {
    const renamed = anEvent(5, {
      author: 'user',
      actions: { stateDelta: { __session_metadata__: { displayName: 'x' } } },
    });
    const blank = anEvent(6, { parts: [{ text: '  \n' }] });
    expect(shape([renamed, blank])).toEqual([]);
  });

  it('shows the changes of an event without text as a note', () => {
    const edited = anEvent(5, { author: 'user', actions: { stateDelta: { mood: 'calm', 'user:name': null } } });
    const saved = anEvent(6, { actions: { artifactDelta: { 'bill.pdf': 0 } } });
    const moved = anEvent(7, { actions: { transferToAgent: 'billing' } });
    expect(toEntries([edited, saved, moved]).flatMap((entry) => entry.blocks)).toEqual([
      { kind: 'note', text: 'State changed: mood, user:name.' },
      { kind: 'note', text: 'Saved bill.pdf.' },
      { kind: 'note', text: 'Transferred to billing.' },
    ]);
  });

  it('shows a note for a stopped run, and an error for a failed run', () => {
    const stopped = anEvent(5, { errorCode: 'RUN_ABORTED', errorMessage: 'The run was cancelled.' });
    const failed = anEvent(6, { errorCode: 'MODEL_FAILED', errorMessage: 'It broke.' });
    const left = anEvent(7, { errorCode: 'RUN_LEFT', errorMessage: 'The reader left the run.' });
    const kinds = toEntries([stopped, failed, left]).map((entry) => entry.blocks[0]!.kind);
    expect(kinds).toEqual(['note', 'error', 'note']);
  });

  it('shows the author again when another run begins', () => {
    const later = { ...reply, id: 'event-7', invocationId: 'invocation-2' };
    expect(shape([reply, later]).map(([, head]) => head)).toEqual([true, true]);
  });
});
