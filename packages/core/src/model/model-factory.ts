import type { Llm } from './llm.ts';

/** Makes models by name. Given to a runner or app as `models`; there is no global registry. */
export interface ModelFactory {
  /** For error messages: what names it knows, such as `gemini-*`. */
  readonly patterns: readonly string[];
  supports(name: string): boolean;
  create(name: string): Llm;
}
