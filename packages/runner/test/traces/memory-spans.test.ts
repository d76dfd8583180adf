import { textOf, TholeError } from '@thole/core';
import type { MemoryEntry, ToolContext } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, RecordingTracer, says, ScriptedLlm } from '@thole/testing';
import type { RecordedSpan } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { Runner } from '../../src/runner/runner.ts';
import { hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const user = { appName: 'app', userId: 'ann' };

/** Runs a tool once. Returns the memory spans, and the outline of all spans. */
async function memorySpans(
  use: (toolContext: ToolContext) => Promise<unknown>,
  capturesContent: boolean = false,
): Promise<{ spans: RecordedSpan[]; outline: string[] }> {
  const tracer = new RecordingTracer({ capturesContent });
  const runtime = new FixedRuntime({ tracer });
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession(ref);
  const memoryService = new InMemoryMemoryService({ runtime });
  const note = (id: string, text: string) => ({ id, kind: 'note' as const, content: { parts: [{ text }] } });
  await memoryService.addMemory({ ...user, memories: [note('tea', 'Likes tea.'), note('cake', 'Likes cake.')] });
  const agent = rootOf(new ScriptedLlm(calls('use'), says('Done.')), {
    tools: [toolOf('use', async (_, toolContext) => void (await use(toolContext)))],
  });
  await new Runner({ appName: 'app', agent, sessionService, memoryService, runtime }).runToCompletion(hello);
  const spans = tracer.spans.filter(({ name }) => name.endsWith('_memory'));
  expect(spans.map(({ ends }) => ends)).toEqual(spans.map(() => 1));
  return { spans, outline: tracer.outline() };
}

const ids = {
  'gen_ai.conversation.id': 's',
  'gcp.vertex.agent.session_id': 's',
  'gcp.vertex.agent.invocation_id': expect.any(String),
};

describe('Memory spans', () => {
  it('are below the call that uses the memory, one for each operation', async () => {
    const { spans, outline } = await memorySpans(async (context) => {
      await context.searchMemory('tea');
      await context.addMemory('Likes rain.');
      await context.addMemory('Likes snow.', { id: 'snow' });
      await context.addEventsToMemory([...context.history]);
      await context.addSessionToMemory();
      await context.deleteMemory(['tea']);
    });
    const names = ['search', 'create', 'upsert', 'upsert', 'upsert', 'delete'].map((name) => `${name}_memory`);
    expect(spans.map(({ name }) => name)).toEqual(names);
    expect(outline.filter((line) => line.endsWith('_memory'))).toEqual(names.map((name) => `      ${name}`));
    expect(outline[outline.indexOf('      search_memory') - 1]).toBe('    execute_tool use');
  });

  it('contain operation, agent, ids and counts, and no content', async () => {
    const { spans } = await memorySpans(async (context) => {
      await context.searchMemory('tea or cake');
      await context.addMemory('Likes secret snow.', { id: 'snow' });
      await context.deleteMemory(['snow']);
      await context.deleteMemory(['tea', 'cake', 'nothing']);
    });
    const span = (name: string, more: object) => ({
      ...{ 'gen_ai.operation.name': name, 'gen_ai.agent.name': 'root' },
      ...ids,
      ...more,
    });
    const recorded = spans.map(({ attributes }) => JSON.parse(JSON.stringify(attributes)) as object);
    expect(recorded).toEqual([
      span('search_memory', { 'gen_ai.memory.record.count': 2 }),
      span('upsert_memory', { 'gen_ai.memory.record.id': 'snow', 'gen_ai.memory.record.count': 1 }),
      span('delete_memory', { 'gen_ai.memory.record.id': 'snow', 'gen_ai.memory.record.count': 1 }),
      span('delete_memory', { 'gen_ai.memory.record.count': 2 }),
    ]);
    expect(JSON.stringify(recorded)).not.toMatch(/Likes|secret|tea/);
  });

  it('contain the query and the entries if content is captured', async () => {
    const { spans } = await memorySpans(async (context) => {
      await context.searchMemory('tea');
      await context.addMemory('Likes snow.');
    }, true);
    const textsIn = ({ attributes }: RecordedSpan): string[] =>
      (JSON.parse(attributes['gen_ai.memory.records'] as string) as MemoryEntry[]).map(({ content }) =>
        textOf(content),
      );
    expect(spans[0]!.attributes['gen_ai.memory.query.text']).toBe('tea');
    expect(spans.map(textsIn)).toEqual([['Likes tea.'], ['Likes snow.']]);
  });

  it('fail with the code of an operation that fails, which still throws', async () => {
    let code: string | undefined;
    const { spans } = await memorySpans(async (context) => {
      const failure = await context.searchMemory('tea', { limit: -1 }).catch((error: unknown) => error);
      code = TholeError.is(failure) ? failure.code : undefined;
    });
    expect(code).toBe('INVALID_INPUT');
    expect(spans[0]!.attributes).toMatchObject({ 'error.type': 'INVALID_INPUT' });
    expect(spans[0]!.error).toMatchObject({ code: 'INVALID_INPUT' });
  });
});
