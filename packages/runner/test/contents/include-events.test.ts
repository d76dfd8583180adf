import type { EventInit, Part } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { includeEvents } from '../../src/contents/include-events.ts';
import { agent, answer, call, compaction, historyOf, user } from './history-of.ts';

const included = (branch: string | undefined, ...events: EventInit[]): string[] =>
  includeEvents(historyOf(...events), branch).map(({ id }) => id);
const parts = (...of: Part[]): EventInit => ({ author: 'a', content: { role: 'model', parts: of } });

describe('includeEvents', () => {
  it('shows a branch itself, its ancestors and events without a branch (contract 17)', () => {
    const branches = [undefined, 'p', 'p.x', 'p.y', 'p.x.z', 'px'];
    const events = branches.map((branch) => agent('a', 'words', { branch }));
    expect(included('p.x', ...events)).toEqual(['e1', 'e2', 'e3']);
    expect(included('p', ...events)).toEqual(['e1', 'e2']);
    expect(included('px', ...events)).toEqual(['e1', 'e6']);
  });

  it('shows every branch to an agent without a branch', () => {
    expect(included(undefined, agent('a', '1', { branch: 'p.x' }), agent('b', '2', { branch: 'p.y' }))).toEqual([
      'e1',
      'e2',
    ]);
  });

  it('leaves out events without text: state, no parts, white space, thoughts or signature only', () => {
    expect(
      included(
        undefined,
        { author: 'a', actions: { stateDelta: { x: 1 } } },
        parts(),
        parts({ text: ' \n' }),
        parts({ text: 'hm', thought: true }),
        parts({ text: '', thoughtSignature: 'c2ln' }),
      ),
    ).toEqual([]);
  });

  it('never shows a closing record (contract 23)', () => {
    expect(
      included(undefined, { author: 'a', errorCode: 'RUN_ABORTED', errorMessage: 'The run was aborted.' }),
    ).toEqual([]);
  });

  it('shows the text of a model that was cut off, although the event has an error code', () => {
    expect(included(undefined, agent('a', 'half a sen', { errorCode: 'MAX_TOKENS' }))).toEqual(['e1']);
  });

  it('keeps events that contain only answers, data or files', () => {
    const data = { mimeType: 'image/png', data: 'AA==' };
    expect(
      included(
        undefined,
        answer('a', 'c1', 1),
        parts({ inlineData: data }),
        parts({ fileData: { fileUri: 'gs://x' } }),
      ),
    ).toEqual(['e1', 'e2', 'e3']);
  });

  it('leaves out requests of interrupts and their answers, and keeps texts next to them', () => {
    const request: Part = { functionCall: { id: 'q', name: 'adk_request_confirmation', args: {} } };
    const reply: Part = {
      functionResponse: { id: 'q', name: 'adk_request_confirmation', response: { confirmed: true } },
    };
    const events = includeEvents(
      historyOf(parts(request), parts(reply), parts({ text: 'May I?' }, request), call('a', 'c1')),
      undefined,
    );
    expect(events.map(({ id, content }) => [id, content?.parts?.length])).toEqual([
      ['e3', 1],
      ['e4', 1],
    ]);
  });

  it('adds missing arguments and responses, and leaves out files without data or type (contract 17)', () => {
    const callWith = (member: object): Part => ({ functionCall: { id: 'c', name: 'look', ...member } }) as Part;
    const answerWith = (member: object): Part => ({ functionResponse: { id: 'c', name: 'look', ...member } }) as Part;
    const files = [{ inlineData: { data: 'AA==' } }, { inlineData: { mimeType: 'image/png' } }, { fileData: {} }];
    const events = includeEvents(
      historyOf(
        parts(callWith({}), callWith({ args: null }), callWith({ args: { a: 1 } })),
        parts(answerWith({}), answerWith({ response: [1] }), answerWith({ response: { a: 1 } })),
        parts({ text: 'See:' }, ...(files as Part[])),
        parts(files[0] as Part),
      ),
      undefined,
    );
    expect(events.map(({ content }) => content!.parts)).toEqual([
      [{}, {}, { a: 1 }].map((args) => callWith({ args })),
      [{}, { result: [1] }, { a: 1 }].map((response) => answerWith({ response })),
      [{ text: 'See:' }],
    ]);
  });

  it('leaves out partial events, and keeps compaction records and transcriptions', () => {
    const record = compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 });
    expect(
      included(undefined, user('hel', { partial: true }), record, {
        author: 'user',
        inputTranscription: { text: 'hello' },
      }),
    ).toEqual(['e2', 'e3']);
  });
});
