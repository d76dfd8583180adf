import type { OutputUnit } from '@cfworker/json-schema';
import type { ValidationIssue } from '@thole/core';

/** Returns a validator's errors as issues that a model can correct: the path and the expectation, without the value. */
export function describeSchemaErrors(errors: readonly OutputUnit[]): ValidationIssue[] {
  const issues = new Map<string, ValidationIssue>();
  errors.forEach((error, i) => {
    if (isWrapper(error, errors[i + 1])) return;
    const issue = describe(error);
    issues.set(JSON.stringify(issue), issue);
  });
  return [...issues.values()];
}

// Keywords whose errors only report that a nested value is invalid. The next error contains the cause.
const WRAPPER_KEYWORDS = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'allOf',
  'anyOf',
  'dependentSchemas',
  'if',
  'propertyNames',
  '$ref',
  '$recursiveRef',
  '$dynamicRef',
]);

function isWrapper(error: OutputUnit, next: OutputUnit | undefined): boolean {
  if (next === undefined) return false;
  return (
    WRAPPER_KEYWORDS.has(error.keyword) ||
    (error.keyword === 'oneOf' && next.keywordLocation.startsWith(`${error.keywordLocation}/`))
  );
}

function describe({ keyword, instanceLocation, error }: OutputUnit): ValidationIssue {
  const path = instanceLocation.split('/').slice(1).map(decodeStep);
  if (keyword === 'required') {
    const missing = /property "(.*)"\.$/s.exec(error)?.[1];
    return { path: missing === undefined ? path : [...path, missing], message: 'is required' };
  }
  return { path, message: messageByKeyword[keyword]?.(error) ?? lowerFirst(error.replace(/\.$/, '')) };
}

// Replace messages of the validator, because some of them repeat the invalid value.
const messageByKeyword: { readonly [keyword: string]: (error: string) => string } = {
  type: (error) => {
    const [, received, expected = ''] = /^Instance type "(.*?)" is invalid\. Expected (.*)\.$/.exec(error) ?? [];
    return `expected ${expected.replaceAll('"', '').replaceAll(', ', ' or ')}, received ${received}`;
  },
  false: () => 'is not allowed',
  enum: (error) => `must be one of ${textAfter(error, 'any of ')}`,
  const: (error) => `must be ${textAfter(error, 'match ')}`,
  // Draft 4 marks an exclusive limit with a flag. The message then contains "or equal to".
  minimum: (error) => `must be ${error.includes('or equal to') ? 'greater than' : 'at least'} ${lastWordOf(error)}`,
  maximum: (error) => `must be ${error.includes('or equal to') ? 'less than' : 'at most'} ${lastWordOf(error)}`,
  exclusiveMinimum: (error) => `must be greater than ${textAfter(error, 'less than ')}`,
  exclusiveMaximum: (error) => `must be less than ${textAfter(error, 'equal to ')}`,
  multipleOf: (error) => `must be a multiple of ${textAfter(error, 'multiple of ')}`,
  minLength: (error) => `must have at least ${limitIn(error)} characters`,
  maxLength: (error) => `must have at most ${limitIn(error)} characters`,
  minItems: (error) => `must have at least ${limitIn(error)} items`,
  maxItems: (error) => `must have at most ${limitIn(error)} items`,
  pattern: () => 'must match the pattern of its schema',
  format: (error) => `must be a ${textAfter(error, 'format ').replaceAll('"', '')}`,
};

const textAfter = (error: string, words: string): string =>
  error
    .slice(error.indexOf(words) + words.length)
    .replace(/\.$/, '')
    .trim();
const lastWordOf = (error: string): string => error.slice(error.lastIndexOf(' ') + 1).replace(/\.$/, '');
const limitIn = (error: string): string => /[<>] (\d+)\)/.exec(error)?.[1] ?? '';
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function decodeStep(step: string): string {
  return decodeURI(step).replaceAll('%23', '#').replaceAll('~1', '/').replaceAll('~0', '~');
}
