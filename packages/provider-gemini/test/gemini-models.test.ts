import { describe, expect, it } from 'vitest';
import { geminiModels } from '../src/index.ts';

describe('geminiModels', () => {
  const models = geminiModels({ apiKey: 'a-local-key' });

  it('supports gemini-… and gemini/…, and lists these patterns', () => {
    expect(models.patterns).toEqual(['gemini-*', 'gemini/*']);
    expect(['gemini-2.5-flash', 'gemini/gemma-4'].every((name) => models.supports(name))).toBe(true);
    expect(['gpt-5', 'gemini', 'gemini-', 'my/gemini-2.5-flash'].some((name) => models.supports(name))).toBe(false);
  });

  it('creates a model with the name, without the prefix', () => {
    expect(models.create('gemini-2.5-flash').model).toBe('gemini-2.5-flash');
    expect(models.create('gemini/gemma-4').model).toBe('gemma-4');
  });

  it('names the known patterns for an unknown name', () => {
    expect(() => models.create('gpt-5')).toThrow(
      expect.objectContaining({ code: 'MODEL_UNKNOWN', message: expect.stringContaining('gemini-*, gemini/*') }),
    );
  });

  it('reads the key from the environment when it creates a model, not before', () => {
    const env: { [name: string]: string } = {};
    const fromEnv = geminiModels({ env });
    expect(() => fromEnv.create('gemini-2.5-flash')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('GEMINI_API_KEY') }),
    );
    env['GEMINI_API_KEY'] = 'a-local-key';
    expect(fromEnv.create('gemini-2.5-flash').model).toBe('gemini-2.5-flash');
  });
});
