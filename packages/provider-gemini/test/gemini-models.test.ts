import { describe, expect, it } from 'vitest';
import { geminiModels } from '../src/index.ts';

describe('geminiModels', () => {
  const models = geminiModels({ apiKey: 'a-local-key' });

  it('knows gemini-… and gemini/…, and says so', () => {
    expect(models.patterns).toEqual(['gemini-*', 'gemini/*']);
    expect(['gemini-2.5-flash', 'gemini/gemma-4'].every((name) => models.supports(name))).toBe(true);
    expect(['gpt-5', 'gemini', 'gemini-', 'my/gemini-2.5-flash'].some((name) => models.supports(name))).toBe(false);
  });

  it('makes a model of the name, without the prefix', () => {
    expect(models.create('gemini-2.5-flash').model).toBe('gemini-2.5-flash');
    expect(models.create('gemini/gemma-4').model).toBe('gemma-4');
  });

  it('says of an unknown name which patterns are known', () => {
    expect(() => models.create('gpt-5')).toThrow(
      expect.objectContaining({ code: 'MODEL_UNKNOWN', message: expect.stringContaining('gemini-*, gemini/*') }),
    );
  });

  it('reads the key from the environment when a model is made, not before', () => {
    const env: { [name: string]: string } = {};
    const fromEnv = geminiModels({ env });
    expect(() => fromEnv.create('gemini-2.5-flash')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('GEMINI_API_KEY') }),
    );
    env['GEMINI_API_KEY'] = 'a-local-key';
    expect(fromEnv.create('gemini-2.5-flash').model).toBe('gemini-2.5-flash');
  });
});
