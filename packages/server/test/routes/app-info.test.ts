import { LlmAgent, Runner } from '@thole/runner';
import { InMemorySessionService } from '@thole/mem-services';
import { ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/index.ts';
import { ask } from '../ask.ts';

const sessionService = new InMemorySessionService();
const rootAgent = new LlmAgent({ name: 'concierge', model: new ScriptedLlm() });
const app = { name: 'hotel', rootAgent, suggestions: ['Find a room.', 'Cancel my booking.'] };

describe('GET /apps/{app}/app-info', () => {
  it.each([
    ['an App', createHandler({ apps: [app], sessionService })],
    ['a Runner of an App', createHandler({ apps: [new Runner({ app, sessionService })] })],
  ])('returns the suggestions of %s', async (_, handler) => {
    expect((await ask(handler, 'GET', '/apps/hotel/app-info')).body.suggestions).toEqual(app.suggestions);
    expect((await ask(handler, 'GET', '/list-apps?detailed=true')).body.apps[0].suggestions).toEqual(app.suggestions);
  });

  it('returns an empty list for an app without suggestions', async () => {
    const handler = createHandler({ apps: [{ name: 'hotel', rootAgent }], sessionService });
    expect((await ask(handler, 'GET', '/apps/hotel/app-info')).body.suggestions).toEqual([]);
  });

  it('names the tools whose arguments can be edited in a confirmation', async () => {
    const options = { description: 'Books.', execute: () => ({}) };
    const tools = [
      new FunctionTool({ ...options, name: 'book', requireConfirmation: true, allowEditedArguments: true }),
      new FunctionTool({ ...options, name: 'pay', requireConfirmation: true }),
    ];
    const agent = new LlmAgent({ name: 'concierge', model: new ScriptedLlm(), tools });
    const handler = createHandler({ apps: [{ name: 'hotel', rootAgent: agent }], sessionService });
    expect((await ask(handler, 'GET', '/apps/hotel/app-info')).body.agents.concierge.tools).toEqual([
      { name: 'book', description: 'Books.', allowEditedArguments: true },
      { name: 'pay', description: 'Books.' },
    ]);
  });

  it('rejects suggestions that are not non-empty strings', () => {
    for (const suggestions of ['Hello', [''], [1]] as never[])
      expect(() => createHandler({ apps: [{ ...app, suggestions }], sessionService })).toThrow(/app\.suggestions/);
  });
});
