import { crc32 } from 'node:zlib';
import type { JsonObject } from '@thole/core';
import { ProtocolServer } from '@thole/testing/http';
import type { ReceivedRequest, ServerAnswer } from '@thole/testing/http';
import { OAuth2Client } from 'google-auth-library';
import { afterEach, describe, expect, it } from 'vitest';
import { Anthropic } from '../src/index.ts';
import { answerWith } from './anthropic-server.ts';
import { ask, hello } from './ask.ts';
import { eventsOf, messageOf } from './fixtures/messages.ts';

const servers: ProtocolServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(answer: (request: ReceivedRequest) => ServerAnswer): Promise<ProtocolServer> {
  const server = await ProtocolServer.start(answer);
  servers.push(server);
  return server;
}

const message = messageOf([{ type: 'text', text: 'Nine.' }]);

describe('Claude on Amazon Bedrock', () => {
  // Paths and bodies of InvokeModel and InvokeModelWithResponseStream of the Bedrock Runtime API.
  const answerAsBedrock = ({ path }: ReceivedRequest): ServerAnswer =>
    path.endsWith('/invoke')
      ? { body: JSON.stringify(message) }
      : {
          headers: { 'content-type': 'application/vnd.amazon.eventstream' },
          body: eventsOf(message).map((event) => frame('chunk', { bytes: btoa(JSON.stringify(event)) })),
        };
  const model = 'us.anthropic.claude-sonnet-5-5-v1:0';
  const keys = {
    region: 'eu-west-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI',
    sessionToken: 'tok',
  };

  it('signs requests with the AWS key, and reads complete and streamed answers', async () => {
    const server = await start(answerAsBedrock);
    const llm = new Anthropic({ model, bedrock: keys, baseUrl: server.url, retry: false });
    for (const stream of [false, true]) {
      const responses = await ask(llm, hello, { stream });
      expect(responses.at(-1)?.content?.parts).toEqual([{ text: 'Nine.' }]);
      expect(responses).toHaveLength(stream ? 2 : 1);
    }
    expect(server.requests.map(({ path }) => decodeURIComponent(path))).toEqual([
      `/model/${model}/invoke`,
      `/model/${model}/invoke-with-response-stream`,
    ]);
    const { headers, body } = server.requests[1]!;
    expect(headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/bedrock\//);
    expect(headers['x-amz-security-token']).toBe('tok');
    expect(body).toMatchObject({ anthropic_version: '2026-10-21', messages: expect.any(Array) });
    expect(Object.keys(body as object)).not.toContain('model');
  });

  it('sends the earlier version of the API to models that support no other version', async () => {
    const server = await start(answerAsBedrock);
    const oldModel = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
    const llm = new Anthropic({ model: oldModel, bedrock: keys, baseUrl: server.url, retry: false });
    await ask(llm);
    await ask(llm, { ...hello, model: 'anthropic.claude-opus-4-7' });
    const versions = server.requests.map(({ body }) => (body as JsonObject)['anthropic_version']);
    expect(versions).toEqual(['bedrock-2023-05-31', '2026-10-21']);
  });

  it('sends a key of Bedrock', async () => {
    const server = await start(answerAsBedrock);
    const llm = new Anthropic({ model, bedrock: { region: 'r' }, apiKey: 'bedrock-key', baseUrl: server.url });
    await ask(llm);
    expect(JSON.stringify(server.requests[0]!.headers)).toContain('bedrock-key');
    expect(server.requests[0]!.headers['authorization']).not.toContain('AWS4');
  });

  it('maps exceptions in a stream', async () => {
    const server = await start(() => ({
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      body: [frame('throttlingException', { message: 'Too many requests.' }, 'exception')],
    }));
    const llm = new Anthropic({ model, bedrock: keys, baseUrl: server.url, retry: false });
    await expect(ask(llm, hello, { stream: true })).rejects.toMatchObject({ code: 'MODEL_RATE_LIMITED' });
  });

  it('throws errors without the AWS key', async () => {
    const server = await start(() => ({
      status: 403,
      body: JSON.stringify({ message: 'No access for AKIDEXAMPLE.' }),
    }));
    const llm = new Anthropic({ model, bedrock: keys, baseUrl: server.url, retry: false });
    const error: unknown = await ask(llm).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_AUTH' });
    expect(String(error)).not.toContain('AKIDEXAMPLE');
  });
});

describe('Claude on Vertex AI', () => {
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: 'ya29.token' });

  it("sends requests with Google's token to the project's region", async () => {
    const server = await start(({ body }) => answerWith(message, body));
    const vertex = { project: 'hotel', region: 'us-east5', authClient };
    const llm = new Anthropic({ model: 'claude-sonnet-5-5', vertex, baseUrl: `${server.url}/v1`, retry: false });
    for (const stream of [false, true])
      expect((await ask(llm, hello, { stream })).at(-1)?.content?.parts).toEqual([{ text: 'Nine.' }]);
    const modelPath = '/v1/projects/hotel/locations/us-east5/publishers/anthropic/models/claude-sonnet-5-5';
    expect(server.requests.map(({ path }) => path)).toEqual([
      `${modelPath}:rawPredict`,
      `${modelPath}:streamRawPredict`,
    ]);
    const { headers, body } = server.requests[0]!;
    expect(headers['authorization']).toBe('Bearer ya29.token');
    expect(headers['x-api-key']).toBeUndefined();
    expect(body).toMatchObject({ anthropic_version: '2026-10-21' });
    await ask(llm, { ...hello, config: { temperature: 0.5 } });
    expect(server.requests[2]!.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', temperature: 0.5 });
  });

  it('throws MODEL_AUTH without credentials, and reads them again at the next call', async () => {
    const server = await start(({ body }) => answerWith(message, body));
    const emptyClient = new OAuth2Client();
    const vertex = { project: 'hotel', authClient: emptyClient };
    const llm = new Anthropic({ model: 'claude-sonnet-5-5', vertex, baseUrl: `${server.url}/v1`, retry: false });
    await expect(ask(llm)).rejects.toMatchObject({ code: 'MODEL_AUTH', retryable: false });
    expect(server.requests).toHaveLength(0);
    emptyClient.setCredentials({ access_token: 'ya29.token' });
    expect((await ask(llm)).at(-1)?.content?.parts).toEqual([{ text: 'Nine.' }]);
  });
});

/** Returns a message of AWS's binary event stream: lengths, headers of type 7 (texts), the payload, and checksums. */
function frame(type: string, payload: JsonObject, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const names = { ':message-type': kind, [`:${kind}-type`]: type, ':content-type': 'application/json' };
  const headers = Buffer.concat(
    Object.entries(names).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(value.length);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const content = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([content, checksum]);
}
