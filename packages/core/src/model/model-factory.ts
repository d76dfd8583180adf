import type { Llm } from './llm.ts';

/** Creates models by name. Passed to a runner or app as `models`; there is no global registry. */
export interface ModelFactory {
  /** Patterns of the supported names, such as `gemini-*`, for error messages. */
  readonly patterns: readonly string[];
  supports(name: string): boolean;
  create(name: string): Llm;
}
