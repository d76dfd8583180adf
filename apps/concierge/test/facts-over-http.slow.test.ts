import type { JsonObject } from '@thole/core';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderForTest } from './folder-for-test.ts';
import { serveAsProcess } from './serve-as-process.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

interface ChatRequest {
  stream?: boolean;
  messages: { role: string; content: string }[];
  response_format?: { json_schema: { schema: { properties: JsonObject } } };
}

/** Starts a Chat Completions server that extracts one fact, makes a profile of it and repeats the profile in answers. */
async function startModelServer(): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(({ body }) => {
    const { stream, messages, response_format } = body as ChatRequest;
    const properties = response_format?.json_schema.schema.properties ?? {};
    const operation = {
      op: 'add',
      fact: '',
      text: 'Sleeps badly near lifts.',
      evidence: ['t1'],
      since: '',
      duplicateOf: '',
    };
    if ('operations' in properties) return whole(JSON.stringify({ operations: [operation] }));
    if ('lines' in properties) return whole(JSON.stringify({ lines: ['Away from lifts.'] }));
    const profile = messages.find(({ content }) => content.includes('<USER_PROFILE>'))?.content;
    const answer = `I know ${/^- (.*)$/m.exec(profile ?? '')?.[1] ?? 'nothing'}`;
    return stream ? streamed(answer) : whole(answer);
  });
  onTestFinished(() => server.close());
  return server;
}

const common = { id: 'chatcmpl-1', model: 'local' };

function whole(content: string): { body: string } {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return { body: JSON.stringify({ ...common, object: 'chat.completion', choices }) };
}

function streamed(content: string): { headers: { [name: string]: string }; body: readonly (string | Uint8Array)[] } {
  const chunk = (delta: JsonObject, finish_reason: string | null): { data: JsonObject } => ({
    data: { ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
  });
  const events = [chunk({ role: 'assistant', content }, null), chunk({}, 'stop'), '[DONE]'];
  return { headers: { 'content-type': 'text/event-stream' }, body: serverSentEvents(events) };
}

describe('the concierge with a compatible server', { timeout: 120_000 }, () => {
  it('extracts facts at the end of the chat and uses them in the next process', async () => {
    const server = await startModelServer();
    const env = {
      ...{ THOLE_DATA: folderForTest(), THOLE_MODEL: 'openai/local' },
      ...{ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 's3cr3t-key' },
    };
    const first = await talkByPipe(lines('The lift kept me awake.'), { env });
    expect(first).toMatchObject({ code: 0, errors: '', answers: ['I know nothing'] });
    const second = await talkByPipe(lines('/memory', 'Hello!'), { env });
    expect(second.output).toContain('\n1. Sleeps badly near lifts.\n');
    expect(second.answers).toEqual(['I know Away from lifts.']);

    const page = await serveAsProcess({ env });
    expect(await page.say('Hello!', { session: 'on-the-page' })).toBe('I know Away from lifts.');
    expect(await page.say('Hello!', { session: 'of-another', guest: 'bob' })).toBe('I know nothing');
    expect(await page.end()).toBe(0);
    expect([first, second].map(({ output }) => output).join()).not.toContain('s3cr3t-key');
  });

  it('sends only messages to the model with --no-memory', async () => {
    const server = await startModelServer();
    const env = { THOLE_MODEL: 'openai/local', OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'none' };
    await talkByPipe(lines('The lift kept me awake.', '/new', 'Hello!'), { env, args: ['--no-memory'] });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests)).not.toMatch(/load_memory|"remember"/);
  });
});
