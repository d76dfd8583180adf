import assert from 'node:assert/strict';
import { quoteMemory, turnId } from '@thole/core/kit';
import type { MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, eventOf, searchTexts, longAgo, textEvent, search, sessionWith } from './memory-fixture.ts';

const userTurn = textEvent('user', 1, 'I love pizza with olives.');
const agentTurn = textEvent('concierge', 2, 'Noted: olives and pizza.');

/** Ingestion of sessions and events. */
export const memoryIngestCases: readonly Case<MemoryService>[] = [
  {
    id: 'ingest.explicit',
    sentence: 'remembers nothing before a caller adds it',
    contracts: [31],
    async check(memory) {
      assert.deepEqual(await searchTexts(memory, 'pizza'), []);
      await memory.addSessionToMemory(sessionWith([userTurn]));
      assert.deepEqual(await searchTexts(memory, 'pizza'), ['I love pizza with olives.']);
    },
  },
  {
    id: 'ingest.turn',
    sentence: 'stores text, author, time, session and event of a turn, with an id of session and event',
    contracts: [31, 33],
    needs: ['turns'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([userTurn]));
      const [turn] = await search(memory, 'pizza');
      const { score, relevance: _, ...rest } = turn!;
      assert.ok(typeof score === 'number' && score > 0, 'a result must have a score above 0');
      assert.deepEqual(rest, {
        id: turnId('s1', 'e1'),
        kind: 'turn',
        content: { role: 'user', parts: [{ text: 'I love pizza with olives.' }] },
        author: 'user',
        timestamp: longAgo + 60,
        sessionId: 's1',
        eventId: 'e1',
      });
    },
  },
  {
    id: 'ingest.both-sides',
    sentence: 'remembers turns of agents and of the user',
    contracts: [31],
    needs: ['turns'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([userTurn, agentTurn]));
      assert.deepEqual((await search(memory, 'pizza olives')).map((turn) => turn.author!).sort(), [
        'concierge',
        'user',
      ]);
    },
  },
  {
    id: 'ingest.twice',
    sentence: 'adds nothing when a session is added again',
    contracts: [31],
    async check(memory) {
      const session = sessionWith([userTurn, agentTurn]);
      await memory.addSessionToMemory(session);
      await memory.addSessionToMemory(session);
      assert.equal((await search(memory, 'pizza')).length, 2);
    },
  },
  {
    id: 'ingest.at-once',
    sentence: 'stores a session once if it is added twice at the same time',
    contracts: [31],
    async check(memory) {
      const session = sessionWith([userTurn, agentTurn]);
      await Promise.all([
        memory.addSessionToMemory(session),
        memory.addSessionToMemory(session),
        searchTexts(memory, 'pizza'),
      ]);
      assert.equal((await search(memory, 'pizza')).length, 2);
    },
  },
  {
    id: 'ingest.grown',
    sentence: 'adds the new turns of a session that has grown',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([userTurn]));
      assert.equal((await search(memory, 'pizza')).length, 1);
      await memory.addSessionToMemory(sessionWith([userTurn, agentTurn]));
      assert.equal((await search(memory, 'pizza')).length, 2);
    },
  },
  {
    id: 'ingest.windowed',
    sentence: 'loses nothing of a session that is added again with a window',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([userTurn, agentTurn]));
      await memory.addSessionToMemory(sessionWith([agentTurn], { window: { numRecentEvents: 1 } }));
      await memory.addSessionToMemory(sessionWith([], { window: { numRecentEvents: 0 } }));
      assert.equal((await search(memory, 'pizza')).length, 2);
    },
  },
  {
    id: 'ingest.window-first',
    sentence: 'adds turns outside a window when the whole session is added',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([agentTurn], { window: { numRecentEvents: 1 } }));
      await memory.addSessionToMemory(sessionWith([userTurn, agentTurn]));
      assert.equal((await search(memory, 'pizza')).length, 2);
    },
  },
  {
    id: 'ingest.same-event-id',
    sentence: 'keeps events with one id in two sessions as two entries',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([userTurn], { id: 's1' }));
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'Pizza again!')], { id: 's2' }));
      assert.deepEqual((await searchTexts(memory, 'pizza')).sort(), ['I love pizza with olives.', 'Pizza again!']);
    },
  },
  {
    id: 'ingest.no-thoughts',
    sentence: 'leaves out thoughts but remembers text next to them',
    contracts: [31],
    async check(memory) {
      const parts = [{ text: 'The guest may be a spy.', thought: true }, { text: 'Good evening!' }];
      await memory.addSessionToMemory(
        sessionWith([eventOf('concierge', 1, parts), eventOf('concierge', 2, parts.slice(0, 1))]),
      );
      assert.deepEqual(await searchTexts(memory, 'spy evening'), ['Good evening!']);
    },
  },
  {
    id: 'ingest.no-payloads',
    sentence: 'leaves out calls and their answers but remembers text next to them',
    contracts: [31],
    async check(memory) {
      const call = { functionCall: { id: 'c1', name: 'find_room', args: { text: 'secretplan', floor: 'highest' } } };
      const answer = {
        functionResponse: { id: 'c1', name: 'find_room', response: { text: 'secretplan', memories: ['secretplan'] } },
      };
      await memory.addSessionToMemory(
        sessionWith([eventOf('concierge', 1, [{ text: 'Let me look.' }, call]), eventOf('concierge', 2, [answer])]),
      );
      assert.deepEqual(await searchTexts(memory, 'look secretplan find_room highest'), ['Let me look.']);
    },
  },
  {
    id: 'ingest.no-code',
    sentence: 'leaves out code, its results and files',
    contracts: [31],
    async check(memory) {
      const parts = [
        { executableCode: { code: 'print("secretplan")' } },
        { codeExecutionResult: { output: 'secretplan' } },
        { inlineData: { mimeType: 'text/plain', data: 'c2VjcmV0cGxhbg==' } },
      ];
      await memory.addSessionToMemory(
        sessionWith([eventOf('concierge', 1, parts), textEvent('user', 2, 'Thank you.')]),
      );
      assert.deepEqual(await searchTexts(memory, 'secretplan print thank'), ['Thank you.']);
    },
  },
  {
    id: 'ingest.no-partials',
    sentence: 'remembers only the complete text of a streamed answer',
    contracts: [31],
    async check(memory) {
      const partial = textEvent('concierge', 1, 'Good eve', { partial: true });
      await memory.addSessionToMemory(sessionWith([partial, textEvent('concierge', 1, 'Good evening!')]));
      assert.deepEqual(await searchTexts(memory, 'good eve evening'), ['Good evening!']);
    },
  },
  {
    id: 'ingest.no-empties',
    sentence: 'leaves out closing records, state changes and blank texts',
    contracts: [31],
    async check(memory) {
      const { content: _, ...bare } = textEvent('concierge', 1, '');
      const closing = { ...bare, errorCode: 'RUN_ABORTED', errorMessage: 'secretplan' };
      const state = {
        ...bare,
        id: 'e9',
        author: 'system',
        actions: { ...bare.actions, stateDelta: { plan: 'secretplan' } },
      };
      await memory.addSessionToMemory(
        sessionWith([closing, state, textEvent('user', 2, '  \n '), eventOf('user', 3, []), userTurn]),
      );
      assert.deepEqual(await searchTexts(memory, 'secretplan pizza'), ['I love pizza with olives.']);
    },
  },
  {
    id: 'ingest.no-injected',
    sentence: 'leaves out quoted memory that was added to a prompt',
    contracts: [31, 36],
    async check(memory) {
      const quoted = { text: quoteMemory('- user: The guest loves pizza.') };
      const message = { text: `${quoted.text}More pizza, please.` };
      await memory.addSessionToMemory(
        sessionWith([eventOf('user', 1, [quoted]), eventOf('user', 2, [quoted, message])]),
      );
      assert.deepEqual(await searchTexts(memory, 'pizza guest'), ['More pizza, please.']);
    },
  },
  {
    id: 'ingest.parts',
    sentence: 'remembers all texts of a message, not only the first',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(
        sessionWith([eventOf('user', 1, [{ text: 'A room, ' }, { text: 'with balcony.' }])]),
      );
      assert.deepEqual(await searchTexts(memory, 'balcony'), ['A room, with balcony.']);
    },
  },
  {
    id: 'ingest.nothing-said',
    sentence: 'accepts a session without any text',
    contracts: [31],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([]));
      assert.deepEqual(await searchTexts(memory, 'pizza'), []);
    },
  },
  {
    id: 'ingest.no-alias',
    sentence: 'does not store changes made to arguments or results after a call',
    contracts: [31, 33],
    needs: ['turns'],
    async check(memory) {
      const event = textEvent('user', 1, 'I love pizza.');
      await memory.addSessionToMemory(sessionWith([event]));
      event.content!.parts![0]!.text = 'I hate pizza.';
      const [turn] = await search(memory, 'pizza');
      turn!.content.parts![0]!.text = 'I fear pizza.';
      turn!.author = 'nobody';
      const [again] = await search(memory, 'pizza');
      assert.equal(again!.content.parts![0]!.text, 'I love pizza.');
      assert.equal(again!.author, 'user');
    },
  },
  {
    id: 'ingest.events',
    sentence: 'adds the same entries for single events as for their session',
    contracts: [31, 34],
    needs: ['addEventsToMemory', 'turns'],
    async check(memory) {
      await memory.addEventsToMemory!({ ...alice, sessionId: 's1', events: [userTurn] });
      await memory.addSessionToMemory(sessionWith([userTurn, agentTurn]));
      await memory.addEventsToMemory!({ ...alice, sessionId: 's1', events: [userTurn, agentTurn] });
      assert.deepEqual((await search(memory, 'pizza')).map((turn) => turn.id).sort(), [
        turnId('s1', 'e1'),
        turnId('s1', 'e2'),
      ]);
    },
  },
];
