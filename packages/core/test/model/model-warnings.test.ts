import { ModelWarnings } from '@thole/core/kit';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

describe('ModelWarnings', () => {
  it('logs a warning once for each model and setting', () => {
    const { logger, logs } = new FixedRuntime();
    const warnings = new ModelWarnings('acme', logger);
    const warn = (message: string, model: string, ...settings: string[]): void =>
      warnings.warn(message, { model, settings, logger: undefined });
    warn('left out', 'm', 'seed', 'seed', 'topK');
    warn('left out', 'm', 'seed', 'topP');
    warn('left out', 'm', 'seed');
    warn('refused', 'm', 'seed');
    warn('left out', 'n', 'seed');
    const provider = 'acme';
    expect(logs.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ['warn', 'left out', { model: 'm', provider, settings: ['seed', 'topK'] }],
      ['warn', 'left out', { model: 'm', provider, settings: ['topP'] }],
      ['warn', 'refused', { model: 'm', provider, settings: ['seed'] }],
      ['warn', 'left out', { model: 'n', provider, settings: ['seed'] }],
    ]);
  });

  it('logs with the logger of the call', () => {
    const [ofCall, own] = [new FixedRuntime(), new FixedRuntime()];
    new ModelWarnings('acme', own.logger).warn('left out', { model: 'm', settings: ['seed'], logger: ofCall.logger });
    expect(ofCall.logs).toHaveLength(1);
    expect(own.logs).toEqual([]);
  });
});
