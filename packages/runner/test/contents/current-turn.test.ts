import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import { agent, answer, contentsRequest, call, compaction, historyOf, lines, longRunning, user } from './history-of.ts';

const contents = (...events: EventInit[]): string[] =>
  lines(buildContents(historyOf(...events), contentsRequest({ includeContents: 'none' })));
const transfer = (author: string, to: string): EventInit[] => [
  {
    author,
    content: {
      role: 'model',
      parts: [{ functionCall: { id: 't', name: 'transfer_to_agent', args: { agentName: to } } }],
    },
  },
  {
    author,
    content: {
      role: 'user',
      parts: [{ functionResponse: { id: 't', name: 'transfer_to_agent', response: { result: null } } }],
    },
    actions: { transferToAgent: to },
  },
];

describe("currentTurn (includeContents: 'none')", () => {
  it("shows the last message of the user and the agent's later steps", () => {
    expect(contents(user('old'), agent('a', 'reply'), user('new'), call('a', 'c1'), answer('a', 'c1', 7))).toEqual([
      'user: new',
      'model: call c1',
      'user: answer c1 7',
    ]);
  });

  it('shows the last text of another agent instead of the user’s message', () => {
    expect(contents(user('go'), agent('b', 'draft'))).toEqual([
      'user: Context, from another agent:',
      'user: [b] said: draft',
    ]);
  });

  it('shows the message of the user after a transfer', () => {
    expect(contents(user('old'), agent('root', 'reply'), user('book a room'), ...transfer('root', 'a'))[0]).toBe(
      'user: book a room',
    );
  });

  it('shows the message of the user after a transfer by an agent that answered first', () => {
    expect(contents(user('book a room'), agent('root', 'I will pass you on.'), ...transfer('root', 'a'))[0]).toBe(
      'user: book a room',
    );
  });

  it('continues the turn of the call that the user answers', () => {
    expect(contents(user('go'), call('a', 'c1', longRunning('c1')), answer('user', 'c1', 'yes'))).toEqual([
      'user: go',
      'model: call c1',
      'user: answer c1 yes',
    ]);
  });

  it('shows no summary of earlier turns', () => {
    expect(contents(user('old'), compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 }), user('new'))).toEqual([
      'user: new',
    ]);
  });

  it('is empty without events of other authors', () => {
    expect(contents(agent('a', 'words'))).toEqual([]);
    expect(contents()).toEqual([]);
  });
});
