import { describe, expect, it } from 'vitest';
import { answerBefore, answerOf, isAnswer } from '../../page/inspector/request/answer-of.ts';
import { event } from './events.ts';

const call = { functionCall: { id: 'c', name: 'f', args: {} } };
const answer = { functionResponse: { id: 'c', name: 'f', response: {} } };
const events = [
  event({ id: 'message', author: 'user', text: 'Hi.' }),
  event({ id: 'asks', parts: [call] }),
  event({ id: 'tool', parts: [answer] }),
  event({ id: 'says', text: 'Done.' }),
  event({ id: 'other', author: 'helper', text: 'Me too.' }),
];

describe('answerOf', () => {
  it('returns an event of the model unchanged', () => {
    expect(answerOf(events, 'asks')?.id).toBe('asks');
  });

  it('returns the next answer of the model for a message or a result of a tool', () => {
    expect(answerOf(events, 'message')?.id).toBe('asks');
    expect(answerOf(events, 'tool')?.id).toBe('says');
  });

  it('returns the last answer for later events', () => {
    expect(answerOf([...events.slice(0, 2), event({ id: 'tool', parts: [answer] })], 'tool')?.id).toBe('asks');
  });

  it('returns the last answer if nothing is selected', () => {
    expect(answerOf(events, undefined)?.id).toBe('other');
  });

  it('returns no answer of another invocation', () => {
    const alone = event({ id: 'alone', author: 'user', text: 'Anyone?', invocationId: 'run-2' });
    expect(answerOf([...events, alone], 'alone')).toBeUndefined();
    expect(answerOf(events, 'unknown')).toBeUndefined();
  });
});

describe('answerBefore', () => {
  it('returns the previous answer of the same agent', () => {
    expect(answerBefore(events, events[3]!)?.id).toBe('asks');
    expect(answerBefore(events, events[4]!)).toBeUndefined();
  });
});

describe('isAnswer', () => {
  it('accepts a failed answer of a model, and rejects events of the user and the system', () => {
    expect(isAnswer(event({ id: 'e', errorCode: 'MODEL_BLOCKED' }))).toBe(true);
    expect(isAnswer(event({ id: 'e', author: 'user', text: 'Hi.' }))).toBe(false);
    expect(isAnswer(event({ id: 'e', author: 'system', text: 'x' }))).toBe(false);
  });
});
