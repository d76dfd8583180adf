export { Anthropic } from './anthropic-llm.ts';
export type { AnthropicEnvOptions, AnthropicOptions } from './anthropic-llm.ts';
export { anthropicModels } from './anthropic-models.ts';
export type { AnthropicConnectionOptions, BedrockOptions, VertexOptions } from './anthropic-options.ts';
