import { createEvent } from '@thole/core';
import type { JsonObject, Plugin } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { retoldContent } from '../../src/contents/retell-others.ts';
import { tracedRequest } from '../../src/traces/traced-content.ts';
import { answersIn, hello, createSetup, outcomeOf, rootOf, toolOf } from '../support/llm-setup.ts';

const image = { inlineData: { mimeType: 'image/png', data: 'aW1n', displayName: 'chart.png' } };
const file = { fileData: { fileUri: 'gs://b/x.pdf', mimeType: 'application/pdf' } };

describe('A tool that returns {response, parts}', () => {
  it('stores the parts and shows them to the model (contract 18)', async () => {
    const model = new ScriptedLlm(calls('draw', {}, 'c1'), says('Nice.'));
    const tool = toolOf('draw', () => ({ response: { drawn: true }, parts: [image, file] }));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    await outcomeOf(runner.runAsync(hello));
    const answer = { functionResponse: { id: 'c1', name: 'draw', response: { drawn: true }, parts: [image, file] } };
    expect((await stored()).events[2]!.content!.parts).toEqual([answer]);
    expect(model.requests[1]!.contents.at(-1)!.parts).toEqual([answer]);
  });

  it('passes the complete result to hooks, which may change or replace it', async () => {
    const seen: JsonObject[] = [];
    const plugins: Plugin[] = [{ name: 'p', afterToolCallback: ({ result }) => void seen.push(result) }];
    const agent = rootOf(new ScriptedLlm(calls('draw'), says('Nice.')), {
      tools: [toolOf('draw', () => ({ response: {}, parts: [image] }))],
      afterToolCallback: () => ({ response: { redacted: true }, parts: [file] }),
    });
    const { runner, stored } = await createSetup(agent, { plugins });
    await outcomeOf(runner.runAsync(hello));
    expect(seen).toEqual([{ response: {}, parts: [image] }]);
    const answer = (await stored()).events[2]!.content!.parts![0]!.functionResponse!;
    expect(answer).toMatchObject({ response: { redacted: true }, parts: [file] });
  });

  it.each<[string, JsonObject]>([
    ['another member', { response: {}, parts: [image], more: 1 }],
    ['no parts', { response: {}, parts: [] }],
    ['a text among the parts', { response: {}, parts: [image, { text: 'x' }] }],
    ['a response that is not an object', { response: 'x', parts: [image] }],
  ])('is treated as a plain object with %s', async (_name, result) => {
    const model = new ScriptedLlm(calls('draw'), says('Nice.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('draw', () => result)] }));
    const { events } = await outcomeOf(runner.runAsync(hello));
    expect(answersIn(events)[0]![1]).toEqual(result);
  });

  it.each<[unknown, string]>([
    [{ inlineData: { mimeType: 'image/png', data: 'no base64!' } }, 'parts[0].inlineData.data must be base64'],
    [{ inlineData: { data: 'aW1n' } }, 'parts[0].inlineData.mimeType must be a string'],
    [{ fileData: {} }, 'parts[0].fileData.fileUri must be a string'],
  ])('returns an error to the model for %j', async (part, sentence) => {
    const model = new ScriptedLlm(calls('draw'), says('Nice.'));
    const tool = toolOf('draw', () => ({ response: {}, parts: [part] }));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events } = await outcomeOf(runner.runAsync(hello));
    expect(answersIn(events)[0]![1]['error']).toContain(`draw ran, but its result could not be stored: ${sentence}`);
  });
});

describe('Parts of an answer', () => {
  const functionResponse = { id: 'c1', name: 'draw', response: { ok: true }, parts: [image, file] };
  const content = { role: 'user' as const, parts: [{ functionResponse }] };

  it('are named in the text for other agents', () => {
    const retold = retoldContent(createEvent({ author: 'painter', content }));
    expect(retold.parts![1]!.text).toBe(
      '[painter] draw returned {"ok":true} and a file (image/png) "chart.png" and a file (application/pdf) "gs://b/x.pdf"',
    );
  });

  it('are without bytes in a trace', () => {
    expect(tracedRequest({ contents: [content], config: {} })).not.toContain('aW1n');
  });

  it('may be in an answer of the user, and are validated', async () => {
    const bad = { role: 'user' as const, parts: [{ functionResponse: { ...functionResponse, parts: [{}] } }] };
    const { runner } = await createSetup(rootOf(new ScriptedLlm()));
    const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage: bad as never }));
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'newMessage.parts[0].functionResponse.parts[0] must have either inlineData or fileData.',
    });
  });
});

describe('A model response with the wrong shape', () => {
  it.each([
    { text: 'Hi.' },
    { role: 'model', parts: [{ text: 'Hi.' }] },
    { content: 'Hi.' },
    { content: { role: 'model', parts: [{ text: 5 }] } },
    { content: { role: 'model', parts: [{ text: null }] } },
  ])('ends the run with MODEL_PROTOCOL, names the correct form, and the next run works: %j', async (response) => {
    const { runner } = await createSetup(rootOf(new ScriptedLlm(response as never, says('Hi.'))));
    const { error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toMatchObject({
      code: 'MODEL_PROTOCOL',
      message: expect.stringContaining('it must be {content: {role: "model", parts: [{text}]}}'),
    });
    expect((await runner.runToCompletion(hello)).text).toBe('Hi.');
  });
});

describe('outputSchema as plain JSON Schema', () => {
  const outputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  it('validates the answer, and sends an invalid answer back to the model (contract 20)', async () => {
    const model = new ScriptedLlm(says('{"city":7}'), says('{"city":"Ulm"}'));
    const { runner, stored } = await createSetup(rootOf(model, { outputSchema, outputKey: 'place' }));
    expect((await runner.runToCompletion(hello)).output).toEqual({ city: 'Ulm' });
    expect(model.requests[0]!.config.responseJsonSchema).toEqual(outputSchema);
    expect(model.requests[1]!.contents.at(-1)!.parts![0]!.text).toContain('city: expected string');
    expect((await stored()).state).toEqual({ place: { city: 'Ulm' } });
  });
});
