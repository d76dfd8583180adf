import type { Content, LlmRequest, SummaryRequest } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ContextFilterPlugin } from '../../src/plugins/context-filter-plugin.ts';
import { ContentsFold } from '../../src/contents/fold.ts';
import { SessionLog } from '../../src/history/session-log.ts';
import { agent, answer, contentsRequest, call, historyOf, lines, user } from '../contents/history-of.ts';
import { createSetup, hello, rootOf } from '../support/llm-setup.ts';

const NOTE = '[Earlier messages of this conversation are left out here.]';
const textsOf = ({ contents }: LlmRequest): string[] =>
  contents.map(({ parts = [] }: Content) => parts.map((part) => part.text ?? Object.keys(part)[0]).join());

describe('ContextFilterPlugin', () => {
  it('shows the newest invocations, after a note', async () => {
    const model = new ScriptedLlm(says('a1'), says('a2'), says('a3'), says('a4'));
    const plugins = [new ContextFilterPlugin({ keepInvocations: 2 })];
    const { runner } = await createSetup(rootOf(model), { plugins });
    for (const newMessage of ['q1', 'q2', 'q3', 'q4']) await runner.runToCompletion({ ...hello, newMessage });
    expect(model.requests.map(textsOf)).toEqual([
      ['q1'],
      ['q1', 'a1', 'q2'],
      [NOTE, 'q2', 'a2', 'q3'],
      [NOTE, 'q3', 'a3', 'q4'],
    ]);
  });

  it('shows the current invocation completely, and adds the note to each of its requests', async () => {
    const tool = new LongRunningFunctionTool({ name: 'look', description: 'Looks.', execute: () => 'fine' });
    const model = new ScriptedLlm(says('a1'), calls('look', {}, 'c1'), says('a2'));
    const plugins = [new ContextFilterPlugin({ keepInvocations: 1 })];
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }), { plugins });
    for (const newMessage of ['q1', 'q2']) await runner.runToCompletion({ ...hello, newMessage });
    for (const request of model.requests.slice(1)) expect(textsOf(request).slice(0, 2)).toEqual([NOTE, 'q2']);
  });

  it('keeps an older invocation whose call a newer one answers', () => {
    const plugin = new ContextFilterPlugin({ keepInvocations: 1 });
    const events = historyOf(
      ...[user('q1', { invocationId: 'i1' }), call('a', 'c1', { invocationId: 'i1', longRunningToolIds: ['c1'] })],
      ...[user('q2', { invocationId: 'i2' }), agent('a', 'a2', { invocationId: 'i2' })],
      answer('user', 'c1', 'done', { invocationId: 'i3' }),
    );
    const contents = new ContentsFold().contentsOf(
      new SessionLog(events),
      contentsRequest({
        invocationId: 'i3',
        selectHistory: (log) =>
          plugin.selectHistoryCallback({ events: log, invocationContext: { invocationId: 'i3', agent: {} } as never }),
      }),
    );
    expect(lines(contents)).toEqual(['user: q1', 'model: call c1', 'user: answer c1 done']);
  });

  it('keeps the current invocation if an event of another one is newer', () => {
    const plugin = new ContextFilterPlugin({ keepInvocations: 1 });
    const events = historyOf(user('q1', { invocationId: 'i1' }), user('q2', { invocationId: 'i2' }));
    const invocationContext = { invocationId: 'i1', agent: {} } as never;
    expect(plugin.selectHistoryCallback({ events: new SessionLog(events), invocationContext })).toEqual([events[0]]);
  });

  it('adds no note for summarized messages, otherwise a note after the summary', async () => {
    const model = new ScriptedLlm(...['a1', 'a2', 'a3', 'a4'].map((text) => says(text)));
    const summarizer = {
      summarize: async ({ events }: SummaryRequest) => ({
        content: { role: 'model' as const, parts: [{ text: `${events.length} events` }] },
      }),
    };
    const app = { name: 'app', rootAgent: rootOf(model), plugins: [new ContextFilterPlugin({ keepInvocations: 1 })] };
    const compaction = { interval: 2, summarizer };
    const { runner } = await createSetup(app.rootAgent, {
      ...{ app: { ...app, compaction }, appName: undefined, agent: undefined },
    } as never);
    for (const newMessage of ['q1', 'q2', 'q3', 'q4']) {
      await runner.runToCompletion({ ...hello, newMessage });
      await runner.idle();
    }
    const summary = 'Summary of the earlier conversation:\n4 events';
    expect(textsOf(model.requests[2]!)).toEqual([summary, 'q3']);
    expect(textsOf(model.requests[3]!)).toEqual([summary, NOTE, 'q4']);
  });

  it('adds no note for an agent that sees only its current turn', async () => {
    const model = new ScriptedLlm(says('a1'), says('a2'));
    const plugins = [new ContextFilterPlugin({ keepInvocations: 1 })];
    const { runner } = await createSetup(rootOf(model, { includeContents: 'none' }), { plugins });
    for (const newMessage of ['q1', 'q2']) await runner.runToCompletion({ ...hello, newMessage });
    expect(textsOf(model.requests[1]!)).toEqual(['q2']);
  });

  it.each([{ keepInvocations: 0 }, {} as { keepInvocations: number }, { keepInvocations: 1, keep: 2 }])(
    'throws INVALID_INPUT for %o',
    (options) => {
      expect(() => new ContextFilterPlugin(options)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    },
  );
});
