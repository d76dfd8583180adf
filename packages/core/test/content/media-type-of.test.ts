import { isTextType, mediaTypeOf } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('mediaTypeOf', () => {
  it('removes parameters and spaces, and uses lower case', () => {
    expect(mediaTypeOf(' Text/CSV ; charset=utf-8')).toBe('text/csv');
  });
});

describe('isTextType', () => {
  it.each(['text/plain', 'text/x-anything', 'application/json', 'application/ld+json', 'application/atom+xml'])(
    'is true for %s',
    (type) => expect(isTextType(type)).toBe(true),
  );

  it.each(['application/yaml', 'application/x-yaml', 'application/csv', 'application/x-ndjson', 'application/sql'])(
    'is true for %s',
    (type) => expect(isTextType(type)).toBe(true),
  );

  it.each(['application/pdf', 'image/svg+xml', 'application/jsonx', 'application/octet-stream', 'textual/plain', ''])(
    'is false for %j',
    (type) => expect(isTextType(type)).toBe(false),
  );
});
