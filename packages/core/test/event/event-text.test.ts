import { createEvent } from '@thole/core';
import type { Event } from '@thole/core';
import { fromEventText, toEventText } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const event: Event = {
  ...createEvent({ author: 'user', content: { role: 'user', parts: [{ text: 'Hello' }] } }),
  customMetadata: { a: 1 },
};

describe('toEventText', () => {
  it('leaves out seq and empty action maps, and fromEventText adds the maps', () => {
    const text = toEventText({ ...event, seq: 7 });
    expect(JSON.parse(text)).toEqual({ ...event, actions: {} });
    expect(JSON.stringify(fromEventText(text))).toBe(JSON.stringify(event));
  });

  it('keeps maps with members and all other actions, also empty ones', () => {
    const actions = createEvent({
      author: 'root',
      actions: { stateDelta: { city: null }, agentState: {}, skipSummarization: false },
    }).actions;
    const text = toEventText({ ...event, actions });
    expect(JSON.parse(text)).toMatchObject({
      actions: { stateDelta: { city: null }, agentState: {}, skipSummarization: false },
    });
    expect(text).not.toContain('artifactDelta');
    expect(JSON.stringify(fromEventText(text))).toBe(JSON.stringify({ ...event, actions }));
  });

  it('keeps members with the name __proto__', () => {
    const odd = JSON.parse('{"__proto__":1}') as object;
    const actions = { ...event.actions, stateDelta: odd, ...odd } as Event['actions'];
    Object.defineProperty(actions, '__proto__', { value: 2, enumerable: true });
    const read = fromEventText(toEventText({ ...event, actions }));
    expect(JSON.stringify(read.actions)).toContain('"stateDelta":{"__proto__":1}');
    expect(Object.getOwnPropertyDescriptor(read.actions, '__proto__')?.value).toBe(2);
  });
});

describe('fromEventText', () => {
  it('reads texts with all maps', () => {
    expect(fromEventText(JSON.stringify(event))).toEqual(event);
  });
});
