export { VertexAiSessionService } from './session/vertex-ai-session-service.ts';
export type { VertexAiSessionServiceOptions } from './session/vertex-ai-session-service.ts';
export type { AgentEngineOptions } from './client/agent-engine.ts';
export type { GoogleOptions } from './client/google-options.ts';
