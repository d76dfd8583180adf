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
  it('takes the model’s own event as it is', () => {
    expect(answerOf(events, 'asks')?.id).toBe('asks');
  });

  it('leads from a message or a tool’s answer to what the model said next', () => {
    expect(answerOf(events, 'message')?.id).toBe('asks');
    expect(answerOf(events, 'tool')?.id).toBe('says');
  });

  it('leads from what comes after the last answer back to it', () => {
    expect(answerOf([...events.slice(0, 2), event({ id: 'tool', parts: [answer] })], 'tool')?.id).toBe('asks');
  });

  it('takes the last answer when nothing is selected', () => {
    expect(answerOf(events, undefined)?.id).toBe('other');
  });

  it('finds none in another invocation', () => {
    const alone = event({ id: 'alone', author: 'user', text: 'Anyone?', invocationId: 'run-2' });
    expect(answerOf([...events, alone], 'alone')).toBeUndefined();
    expect(answerOf(events, 'unknown')).toBeUndefined();
  });
});

describe('answerBefore', () => {
  it('is the answer before of the same agent', () => {
    expect(answerBefore(events, events[3]!)?.id).toBe('asks');
    expect(answerBefore(events, events[4]!)).toBeUndefined();
  });
});

describe('isAnswer', () => {
  it('counts an answer that failed at the model, but nothing the user or the system wrote', () => {
    expect(isAnswer(event({ id: 'e', errorCode: 'MODEL_BLOCKED' }))).toBe(true);
    expect(isAnswer(event({ id: 'e', author: 'user', text: 'Hi.' }))).toBe(false);
    expect(isAnswer(event({ id: 'e', author: 'system', text: 'x' }))).toBe(false);
  });
});
