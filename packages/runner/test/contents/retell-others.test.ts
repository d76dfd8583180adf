import type { EventInit } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { buildContents } from '../../src/contents/build-contents.ts';
import {
  agent,
  answer,
  answerPart,
  contentsRequest,
  call,
  callPart,
  historyOf,
  lines,
  longRunning,
  user,
} from './history-of.ts';

const heading = 'user: Context, from another agent:';
const contents = (...events: EventInit[]): string[] => lines(buildContents(historyOf(...events), contentsRequest()));

describe('retellOthers', () => {
  it('shows texts, calls and answers of another agent as context of the user (contract 17)', () => {
    const mixed = {
      author: 'b',
      content: { role: 'model' as const, parts: [{ text: 'Let me look.' }, callPart('c1')] },
    };
    expect(contents(mixed, answer('b', 'c1', 7))).toEqual([
      heading,
      'user: [b] said: Let me look.',
      'user: [b] called tool_c1 with {"of":"c1"}',
      heading,
      'user: [b] tool_c1 returned {"result":7}',
    ]);
  });

  it('drops thoughts, signatures and metadata of other agents, and keeps data (contract 17)', () => {
    const inlineData = { mimeType: 'image/png', data: 'AA==' };
    const parts = [
      { text: 'secret', thought: true },
      { text: 'Here.', thoughtSignature: 'c2ln' },
      { inlineData, thoughtSignature: 'c2ln', partMetadata: { provider: 'p' } },
    ];
    const built = buildContents(historyOf({ author: 'b', content: { role: 'model', parts } }), contentsRequest());
    expect(built[0]?.parts).toEqual([
      { text: 'Context, from another agent:' },
      { text: '[b] said: Here.' },
      { text: '[b] gave this:' },
      { inlineData },
    ]);
  });

  it('keeps the thoughts and signatures of the agent itself on their parts (contract 17)', () => {
    const parts = [
      { text: 'hm', thought: true },
      { ...callPart('c1'), thoughtSignature: 'c2ln' },
    ];
    const built = buildContents(
      historyOf({ author: 'a', content: { role: 'model', parts } }, answer('a', 'c1', 7)),
      contentsRequest(),
    );
    expect(built[0]?.parts).toEqual(parts);
  });

  it("retells the user's answer to a call of another agent, and keeps the user's text", () => {
    const reply = {
      author: 'user',
      content: { role: 'user' as const, parts: [answerPart('c1', 'yes'), { text: 'and hurry' }] },
    };
    expect(contents(call('b', 'c1', longRunning('c1')), reply)).toEqual([
      heading,
      'user: [b] called tool_c1 with {"of":"c1"}',
      'user: [b] tool_c1 returned {"result":"yes"}',
      'user: and hurry',
    ]);
  });

  it('shows authors that are not agents in the same way', () => {
    expect(contents(agent('unknown_agent', 'Boo.'), user('hi'))).toEqual([
      heading,
      'user: [unknown_agent] said: Boo.',
      'user: hi',
    ]);
  });
});
