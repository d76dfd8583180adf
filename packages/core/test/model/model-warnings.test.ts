import { ModelWarnings } from '@thole/core/kit';
import { describe, expect, it, vi } from 'vitest';

describe('ModelWarnings', () => {
  it('logs a warning once for each model and setting', () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const warnings = new ModelWarnings('acme', logger);
    const warn = (message: string, model: string, ...settings: string[]): void =>
      warnings.warn(message, { model, settings, logger: undefined });
    warn('left out', 'm', 'seed', 'seed', 'topK');
    warn('left out', 'm', 'seed', 'topP');
    warn('left out', 'm', 'seed');
    warn('refused', 'm', 'seed');
    warn('left out', 'n', 'seed');
    const provider = 'acme';
    expect(logger.warn.mock.calls).toEqual([
      ['left out', { model: 'm', provider, settings: ['seed', 'topK'] }],
      ['left out', { model: 'm', provider, settings: ['topP'] }],
      ['refused', { model: 'm', provider, settings: ['seed'] }],
      ['left out', { model: 'n', provider, settings: ['seed'] }],
    ]);
  });

  it('logs with the logger of the call', () => {
    const [logger, own] = [0, 1].map(() => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }));
    new ModelWarnings('acme', own!).warn('left out', { model: 'm', settings: ['seed'], logger });
    expect(logger!.warn).toHaveBeenCalledOnce();
    expect(own!.warn).not.toHaveBeenCalled();
  });
});
