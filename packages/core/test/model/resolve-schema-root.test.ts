import { resolveSchemaRoot } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

const city = { type: 'object', properties: { near: { $ref: '#/$defs/City' } } };

describe('resolveSchemaRoot', () => {
  it.each(['$defs', 'definitions'])('returns the definition in %s to which the root refers', (keyword) => {
    const schema = { $ref: `#/${keyword}/City`, title: 'A city', [keyword]: { City: city } };
    expect(resolveSchemaRoot(schema)).toEqual({ ...city, title: 'A city', [keyword]: { City: city } });
  });

  it('finds a definition whose name has a slash or a tilde', () => {
    const schema = { $ref: '#/$defs/geo~1city~0', $defs: { 'geo/city~': city } };
    expect(resolveSchemaRoot(schema)).toEqual({ ...city, $defs: schema.$defs });
  });

  it.each([
    ['without a reference', city],
    ['with an unknown reference', { $ref: '#/$defs/toString', $defs: { City: city } }],
    ['with a reference to another reference', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: city } }],
    ['with a reference to another document', { $ref: 'https://example.com/city.json' }],
  ])('returns a schema %s unchanged', (_name, schema) => {
    expect(resolveSchemaRoot(schema)).toBe(schema);
  });
});
