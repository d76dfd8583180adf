import { TholeError } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { anthropicFactory, missingFactory } from '../../src/agents/anthropic-factory.ts';

describe('anthropicFactory', () => {
  it('creates Claude models with the key of the environment', async () => {
    const factory = await anthropicFactory({ env: { ANTHROPIC_API_KEY: 'k' }, runtime: new FixedRuntime() });
    expect(factory.create('anthropic/claude-opus-5').model).toBe('claude-opus-5');
    expect(factory.patterns).toEqual(missingFactory(undefined).patterns);
  });
});

describe('missingFactory', () => {
  it('knows the names and throws how to install the package', () => {
    const error = new TholeError('DRIVER_MISSING', 'Install it.');
    const factory = missingFactory(error);
    for (const name of ['claude-opus-5', 'anthropic/any']) expect(factory.supports(name)).toBe(true);
    for (const name of ['gpt-5.5', 'anthropic/', 'claude']) expect(factory.supports(name)).toBe(false);
    expect(() => factory.create('claude-opus-5')).toThrow(error);
  });
});
