import { InMemoryArtifactService, InMemoryMemoryService } from '@thole/mem-services';
import { says } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo, message, sessionPath } from '../demo.ts';

const user = '/apps/demo/users/ann';

describe('a body or query of the wrong type', () => {
  it.each<[method: string, path: string, body: unknown, detail: string]>([
    ['POST', '/run', undefined, 'body must be an object, got undefined.'],
    ['POST', '/run', [], 'body must be an object, got an array.'],
    ['POST', '/run', { sessionId: 's' }, 'body.userId must be a string, got undefined.'],
    ['POST', '/run', message({ userId: '' }), 'body.userId must not be empty.'],
    ['POST', '/run', message({ streaming: 'yes' }), 'body.streaming must be true or false, got a string.'],
    ['POST', '/run', message({ newMessage: 'Hello' }), 'body.newMessage must be an object, got a string.'],
    [
      'POST',
      '/run',
      message({
        newMessage: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'a/b', data: 'data:a/b;base64,aGk=' } }] },
      }),
      'newMessage.parts[1].inlineData.data must be base64 without "data:…;base64," before it.',
    ],
    [
      'POST',
      `${user}/sessions`,
      { events: [{ author: 'user', content: { parts: [{ inlineData: { mimeType: 'a/b', data: '!' } }] } }] },
      'body.events.0.content.parts.0.inlineData.data must be base64.',
    ],
    ['POST', '/run', message({ stateDelta: [] }), 'body.stateDelta must be an object, got an array.'],
    ['PATCH', sessionPath, {}, 'body.stateDelta must be an object, got undefined.'],
    ['POST', `${sessionPath}/fork`, { uptoSeq: -1 }, 'body.uptoSeq must be at least 1.'],
    ['POST', `${sessionPath}/fork`, { uptoSeq: 1.5 }, 'body.uptoSeq must be an integer, got a number.'],
    ['GET', `${user}/sessions?limit=-1`, undefined, 'query.limit must be an integer ≥ 0.'],
    ['GET', `${user}/sessions?order=up`, undefined, "query.order must be 'asc' or 'desc', got another string."],
    ['GET', `${sessionPath}/runs/i/events?after=abc`, undefined, 'query.after must be an integer ≥ 0.'],
    ['POST', `${user}/memory`, { memories: 'x' }, 'body.memories must be a list, got a string.'],
    [
      'POST',
      `${user}/memory`,
      { memories: [{ kind: 1 }] },
      "body.memories.0.kind must be 'turn', 'fact' or 'note', got a number.",
    ],
    [
      'POST',
      `${user}/memory`,
      { memories: [{ content: 1 }] },
      'body.memories.0.content must be an object, got a number.',
    ],
    ['POST', '/ui/demo/chat', { id: 'c', messages: [] }, 'body.messages must not be empty.'],
    [
      'POST',
      '/ag-ui/demo',
      { threadId: 't', runId: 'r', messages: [], state: 1 },
      'body.state must be an object, got a number.',
    ],
  ])('is answered with the member and the expectation: %s %s %j (contract 38)', async (method, path, body, detail) => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    expect(await ask(handler, method, path, body)).toMatchObject({
      status: 400,
      body: { detail, code: 'INVALID_INPUT' },
    });
  });

  it.each([
    [{ model: 'demo' }, 'body.input must be a string or a list of items.'],
    [{ model: 'demo', input: 'Hi', conversation: 1 }, 'body.conversation must be an id or an object with an id.'],
  ])('names the types of %j in the format of OpenAI', async (body, text) => {
    const { handler } = await demo();
    expect(await ask(handler, 'POST', '/v1/responses', body)).toMatchObject({
      status: 400,
      body: { error: { message: text } },
    });
  });
});

describe('parse', () => {
  it('accepts null for an optional member of a run', async () => {
    const { handler } = await demo({ answers: [says('Hello.')] });
    const nulls = { appName: null, streaming: null, stateDelta: null, invocationId: null, customMetadata: null };
    expect((await ask(handler, 'POST', '/run', message(nulls))).status).toBe(200);
  });

  it('accepts null for each member of a message and a part that is not set', async () => {
    const { handler } = await demo({ answers: [says('Hello.')], artifactService: new InMemoryArtifactService() });
    const nulls = { thought: null, inline_data: null, function_call: null, file_data: null };
    const newMessage = { role: null, parts: [{ text: 'Hi', ...nulls }] };
    expect((await ask(handler, 'POST', '/run', message({ newMessage }))).status).toBe(200);
    const artifact = { ...nulls, text: null, inline_data: { mime_type: 'a/b', data: 'aGk=', display_name: null } };
    expect((await ask(handler, 'POST', `${sessionPath}/artifacts`, { filename: 'a', artifact })).status).toBe(200);
  });

  it('accepts files in base64 and base64url', async () => {
    const { handler } = await demo({ answers: [says('One.'), says('Two.')] });
    for (const data of ['_-8=', 'aGk']) {
      const newMessage = { parts: [{ inlineData: { mimeType: 'a/b', data } }] };
      expect((await ask(handler, 'POST', '/run', message({ newMessage }))).status).toBe(200);
    }
  });

  it('accepts numbers of a query as JavaScript writes them', async () => {
    const { handler } = await demo({ memoryService: new InMemoryMemoryService() });
    for (const number of [1e-7, Number.EPSILON, 1e21, 1_795_822_000.123])
      expect((await ask(handler, 'GET', `${user}/memory?query=a&minScore=${encodeURIComponent(number)}`)).status).toBe(
        200,
      );
    expect((await ask(handler, 'GET', `${user}/memory?query=a&minScore=1e`)).status).toBe(400);
  });
});
