import type { Llm } from './llm.ts';

/** Creates models by name. Passed to a runner or app as `models`; there is no global registry. */
export interface ModelFactory {
  /** Patterns of the supported names, such as `gemini-*`, for error messages. */
  readonly patterns: readonly string[];
  /** True if the factory can create a model with this name. */
  supports(name: string): boolean;
  /** Returns a model with this name. The runner calls it only with supported names. */
  create(name: string): Llm;
}
