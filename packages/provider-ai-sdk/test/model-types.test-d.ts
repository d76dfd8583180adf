import type { EmbeddingModelV3, EmbeddingModelV4, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { LanguageModelV2, ProviderV4 } from '@ai-sdk/provider';
import { describe, expectTypeOf, it } from 'vitest';
import type { AiSdkEmbeddingModel, AiSdkLanguageModel, AiSdkProvider } from '../src/index.ts';

describe('AiSdkLanguageModel and AiSdkEmbeddingModel', () => {
  it('fit the models of the AI SDK, except those of v2', () => {
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkLanguageModel>();
    expectTypeOf<LanguageModelV2>().not.toExtend<AiSdkLanguageModel>();
    expectTypeOf<EmbeddingModelV3>().toExtend<AiSdkEmbeddingModel>();
    expectTypeOf<EmbeddingModelV4>().toExtend<AiSdkEmbeddingModel>();
    expectTypeOf<ProviderV4>().toExtend<AiSdkProvider>();
  });
});
