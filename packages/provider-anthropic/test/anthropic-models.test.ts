import { describe, expect, it } from 'vitest';
import { anthropicModels } from '../src/index.ts';

describe('anthropicModels', () => {
  it("supports Claude's names and anthropic/<any>, without the prefix in the model's name", () => {
    const models = anthropicModels({ env: { ANTHROPIC_API_KEY: 'k' } });
    expect(models.patterns).toEqual(['claude-*', 'anthropic/*']);
    for (const name of ['claude-sonnet-5-5', 'anthropic/claude-opus-5', 'anthropic/my-model'])
      expect(models.supports(name), name).toBe(true);
    for (const name of ['gpt-5', 'claude', 'anthropic/', 'my-claude-1'])
      expect(models.supports(name), name).toBe(false);
    expect(models.create('anthropic/claude-opus-5').model).toBe('claude-opus-5');
    expect(models.create('claude-opus-5').model).toBe('claude-opus-5');
  });

  it('creates models of a cloud', () => {
    const models = anthropicModels({ bedrock: { region: 'us-east-1' }, env: {} });
    expect(models.create('anthropic/us.anthropic.claude-opus-5')).toMatchObject({
      model: 'us.anthropic.claude-opus-5',
      providerName: 'aws.bedrock',
    });
  });

  it('throws for other names, and for a missing key', () => {
    expect(() => anthropicModels({ env: {} }).create('gpt-5')).toThrow(/does not know the model gpt-5/);
    expect(() => anthropicModels({ env: {} }).create('claude-opus-5')).toThrow(/ANTHROPIC_API_KEY/);
  });
});
