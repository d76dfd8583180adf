import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import type { LlmRequest } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { runCases, says, ScriptedLlm, sessionServiceCases } from '@thole/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

describe('with the structuredClone of another realm, as in Jest', () => {
  beforeEach(() => {
    const parse = runInNewContext('JSON.parse') as typeof JSON.parse;
    vi.stubGlobal('structuredClone', (value: unknown) => parse(JSON.stringify(value)) as unknown);
    onTestFinished(() => void vi.unstubAllGlobals());
  });

  it('ScriptedLlm stores requests that strict comparisons accept', async () => {
    const model = new ScriptedLlm(says('Hello.'));
    const request: LlmRequest = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], config: {} };
    await Array.fromAsync(model.generateContentAsync(request, { signal: new AbortController().signal, stream: false }));
    assert.deepEqual(model.requests, [request]);
    expect(model.requests[0]).not.toBe(request);
  });

  it('the suite of session services compares a given event with its copy', async () => {
    const cases = sessionServiceCases.filter(({ id }) => id === 'append.given-event');
    const results = await runCases(cases, { create: (runtime) => new InMemorySessionService({ runtime }) });
    expect(results.map(({ error }) => error)).toEqual([undefined]);
  });
});
