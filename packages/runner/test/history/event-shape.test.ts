import type { EventInit, Part } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { isPlain, Shape, shapeOf } from '../../src/history/event-shape.ts';
import { answerPart, callPart, compaction, historyOf, rewind } from '../contents/history-of.ts';

const shape = (event: EventInit): number => shapeOf(historyOf(event)[0]!);
const shapeWith = (...parts: Part[]): number => shape({ author: 'a', content: { role: 'model', parts } });

describe('shapeOf', () => {
  it('classifies texts, data, code and thoughts as plain', () => {
    const data = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    for (const parts of [
      [{ text: 'hi' }],
      [data],
      [{ executableCode: { code: '1' } }],
      [{ text: 'hm', thought: true }],
    ])
      expect(isPlain(shapeWith(...parts))).toBe(true);
    for (const parts of [[callPart('c1')], [{ text: 'so' }, callPart('c1')], [answerPart('c1', 1)]])
      expect(isPlain(shapeWith(...parts))).toBe(false);
  });

  it('does not classify thoughts, white space and signatures as visible', () => {
    expect(
      shapeWith({ text: 'hm', thought: true }, { text: ' \n' }, { thoughtSignature: 'c2ln' }) & Shape.visible,
    ).toBe(0);
    expect(shapeWith({ text: 'hm', thought: true }, { text: 'aha' }) & Shape.visible).toBe(Shape.visible);
  });

  it('combines the flags of all parts', () => {
    expect(shapeWith({ text: 'so' }, callPart('c1'), answerPart('c2', 1))).toBe(
      Shape.visible | Shape.other | Shape.calls | Shape.answers,
    );
    expect(shapeWith({ functionCall: { id: 'q', name: 'adk_request_input', args: {} } })).toBe(
      Shape.visible | Shape.calls | Shape.framework,
    );
    expect(shapeWith({ text: 'so', ...callPart('c1') })).toBe(Shape.visible | Shape.calls | Shape.mixed);
  });

  it('classifies markers and transcriptions, which have no parts', () => {
    expect(shape(rewind('i1'))).toBe(Shape.rewind);
    expect(shape(compaction(['e1'], 'short', { startSeq: 1, endSeq: 1 }))).toBe(Shape.compaction);
    expect(shape({ author: 'user', inputTranscription: { text: 'hello' } })).toBe(Shape.transcript);
    expect(shape({ author: 'a', errorCode: 'RUN_ABORTED', errorMessage: 'Aborted.' })).toBe(0);
  });
});
