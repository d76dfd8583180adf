import { isPlainObject } from '@thole/core/kit';

/**
 * Returns the names of the settings that an AI SDK model warns about. Details and messages are left out, because
 * they may quote the prompt.
 */
export function readWarnings(warnings: unknown): string[] {
  if (!Array.isArray(warnings)) return [];
  return warnings.flatMap((warning: unknown): string[] => {
    if (!isPlainObject(warning)) return [];
    const { type, feature, setting } = warning;
    if (type === 'unsupported' && typeof feature === 'string') return [feature];
    if (type === 'deprecated' && typeof setting === 'string') return [`${setting} (deprecated)`];
    if (type === 'compatibility' && typeof feature === 'string') return [`${feature} (compatibility)`];
    return ['a part of the request'];
  });
}
