import { describe, expect, it } from 'vitest';
import { contentSchema, partSchema } from '../../src/http/content-schema.ts';

describe('contentSchema', () => {
  it('returns the same message, with unknown members', () => {
    const part = JSON.parse('{"functionCall":{"name":"a","args":{"__proto__":1}},"brandNew":{"a_b":null}}') as object;
    const content = { role: 'model', parts: [part] };
    expect(contentSchema.parse(content)).toBe(content);
    expect(JSON.stringify(contentSchema.parse(content))).toContain('__proto__');
  });

  it.each([
    ['role', { role: 'system', parts: [{ text: 'a' }] }],
    ['parts.0', { parts: [{}] }],
    ['parts.1.inlineData.data', { parts: [{ text: 'a' }, { inlineData: { mimeType: 'a/b', data: 7 } }] }],
    ['parts.0.functionResponse.response', { parts: [{ functionResponse: { name: 'a', response: 'b' } }] }],
    ['parts.0.partMetadata.provider', { parts: [{ text: 'a', partMetadata: {} }] }],
  ])('names the invalid member: %s', (path, content) => {
    expect(contentSchema.safeParse(content).error!.issues[0]!.path.join('.')).toBe(path);
  });
});

describe('partSchema', () => {
  it('rejects a part without a known member', () => {
    expect(partSchema.safeParse({ brandNew: 1 }).success).toBe(false);
  });
});
