import type { Llm, Runtime } from '@thole/core';
import { DemoLlm } from './demo-llm.ts';

export interface ChosenModel {
  llm: Llm;
  /** What the guest is told about it. */
  notice: string;
}

/** The model that speaks for the concierge: the offline one, until a provider is there. */
export function chooseModel(p: { runtime: Runtime; wordDelayMs?: number | undefined }): ChosenModel {
  return {
    llm: new DemoLlm(p),
    notice:
      'DemoLlm is speaking: an offline demo model that follows simple rules. It calls the real tools and knows only what they and memory tell it.',
  };
}
