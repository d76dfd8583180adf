export { VertexAiSessionService } from './session/vertex-ai-session-service.ts';
export type { VertexAiSessionServiceOptions } from './session/vertex-ai-session-service.ts';
export { GcsArtifactService } from './artifact/gcs-artifact-service.ts';
export type { GcsArtifactServiceOptions } from './artifact/gcs-artifact-service.ts';
export type { AgentEngineOptions } from './client/agent-engine.ts';
export type { GoogleOptions } from './client/google-options.ts';
export { VertexAiMemoryBankService } from './memory/vertex-ai-memory-bank-service.ts';
export type { BankCallOptions, VertexAiMemoryBankServiceOptions } from './memory/vertex-ai-memory-bank-service.ts';
