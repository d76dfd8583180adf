import { pairCalls, sendableCallIds } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

/** Returns the ids that are sent for calls with these ids, all in one content. */
function sentFor(...ids: (string | undefined)[]): string[] {
  const parts = ids.map((id) => ({ functionCall: { name: 'f', args: {}, ...(id !== undefined && { id }) } }));
  return [...sendableCallIds(pairCalls([{ role: 'model', parts }]), /^\w{1,10}$/).values()];
}

describe('sendableCallIds', () => {
  it('keeps the ids that the server accepts', () => {
    expect(sentFor('a', 'b')).toEqual(['a', 'b']);
  });

  it('replaces missing, repeated and invalid ids by their position', () => {
    expect(sentFor(undefined, '', 'a', 'a', 'b c')).toEqual(['call_0_0', 'call_0_1', 'a', 'call_0_3', 'call_0_4']);
  });

  it('never replaces an id by the id of another call, earlier or later', () => {
    expect(sentFor('call_0_1', undefined)).toEqual(['call_0_1', 'call_0_1_']);
    expect(sentFor(undefined, 'call_0_0')).toEqual(['call_0_0_', 'call_0_0']);
    expect(sentFor('call_0_1', 'call_0_1')).toEqual(['call_0_1', 'call_0_1_']);
  });
});
