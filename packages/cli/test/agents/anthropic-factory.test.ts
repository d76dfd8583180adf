import { TholeError } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { anthropicFactory, createFailingFactory } from '../../src/agents/anthropic-factory.ts';

describe('anthropicFactory', () => {
  it('creates Claude models with the key of the environment', async () => {
    const factory = await anthropicFactory({ env: { ANTHROPIC_API_KEY: 'k' }, runtime: new FixedRuntime() });
    expect(factory.create('anthropic/claude-opus-5').model).toBe('claude-opus-5');
    expect(factory.patterns).toEqual(createFailingFactory(undefined).patterns);
  });
});

describe('createFailingFactory', () => {
  it('supports the names and throws the command that installs the package', () => {
    const error = new TholeError('DRIVER_MISSING', 'Install it.');
    const factory = createFailingFactory(error);
    for (const name of ['claude-opus-5', 'anthropic/any']) expect(factory.supports(name)).toBe(true);
    for (const name of ['gpt-5.5', 'anthropic/', 'claude']) expect(factory.supports(name)).toBe(false);
    expect(() => factory.create('claude-opus-5')).toThrow(error);
  });
});
