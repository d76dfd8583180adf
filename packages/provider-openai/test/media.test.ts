import type { Content, FunctionResponsePart, JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toChatRequest } from '../src/chat/to-chat-request.ts';
import { toOpenAiRequest } from '../src/to-openai-request.ts';

const target = { model: 'gpt-4.1', provider: 'openai', stream: false };
const responses = (contents: Content[]): JsonObject[] =>
  toOpenAiRequest({ contents, config: {} }, target).input as unknown as JsonObject[];
const chat = (contents: Content[]): JsonObject[] =>
  toChatRequest({ contents, config: {} }, target).messages as unknown as JsonObject[];

const video: Content = {
  role: 'user',
  parts: [{ text: 'Look.' }, { inlineData: { mimeType: 'video/mp4', data: 'AAAA', displayName: 'tour.mp4' } }],
};
const LINE = '[A file of type video/mp4 named "tour.mp4" is not shown: this model cannot read it.]';
const call: Content = { role: 'model', parts: [{ functionCall: { id: 'call-a', name: 'draw', args: {} } }] };

describe.each([
  ['Responses API', responses],
  ['Chat Completions', chat],
])('unsupported media in %s', (_, convert) => {
  it('are rejected with INVALID_INPUT and their type in the newest message of the user', () => {
    const answer: Content = {
      role: 'user',
      parts: [{ functionResponse: { id: 'call-a', name: 'draw', response: {} } }],
    };
    for (const contents of [[video], [video, call, answer]]) {
      expect(() => convert(contents)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('video/mp4') }),
      );
    }
  });

  it('become a line of text with their type in older messages and those of the model', () => {
    const modelFile: Content = { role: 'model', parts: [{ fileData: { fileUri: 'gs://a/b', mimeType: 'video/mp4' } }] };
    const body = JSON.stringify(convert([video, modelFile, { role: 'user', parts: [{ text: 'And now?' }] }]));
    expect(body).toContain(JSON.stringify(LINE).slice(1, -1));
    expect(body).toContain('[A file of type video/mp4 is not shown: this model cannot read it.]');
  });
});

describe('files in answers of tools', () => {
  const parts: FunctionResponsePart[] = [
    { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
    { inlineData: { mimeType: 'application/pdf', data: 'JVBE', displayName: 'plan.pdf' } },
    { inlineData: { mimeType: 'video/mp4', data: 'AAAA', displayName: 'tour.mp4' } },
  ];
  const answer: Content = {
    role: 'user',
    parts: [{ functionResponse: { id: 'call-a', name: 'draw', response: { ok: true }, parts } }],
  };
  const hello: Content = { role: 'user', parts: [{ text: 'Draw.' }] };

  it('are part of the call’s output in the Responses API', () => {
    expect(responses([hello, call, answer]).at(-1)).toEqual({
      type: 'function_call_output',
      call_id: 'call-a',
      output: [
        { type: 'input_text', text: '{"ok":true}' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBO' },
        { type: 'input_file', filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBE' },
        { type: 'input_text', text: LINE },
      ],
    });
  });

  it('follow all answers of the turn in a user message in Chat Completions', () => {
    const twoCalls: Content = {
      role: 'model',
      parts: [...call.parts!, { functionCall: { id: 'call-b', name: 'list', args: {} } }],
    };
    const answers: Content = {
      role: 'user',
      parts: [...answer.parts!, { functionResponse: { id: 'call-b', name: 'list', response: {} } }],
    };
    const messages = chat([hello, twoCalls, answers]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'call-a', content: '{"ok":true}' });
    expect(messages[4]!['content']).toEqual([
      { type: 'text', text: 'Files that belong to the answer of draw:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'file', file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
      { type: 'text', text: LINE },
    ]);
  });

  it('are sent with an answer that has no call, which is sent as text', () => {
    for (const body of [responses([hello, answer]), chat([hello, answer])]) {
      expect(JSON.stringify(body)).toMatch(/draw returned .*data:image\/png;base64,iVBO/);
    }
  });
});
