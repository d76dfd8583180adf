import type { ToolContext } from '../agent/contexts.ts';
import type { JsonObject } from '../json/json.ts';
import type { Llm, LlmOptions } from '../model/llm.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { Tool } from './tool.ts';
import type { Runtime } from '../runtime/runtime.ts';

const key = Symbol.for('thole.call-interceptor');

/** Handles all calls of models and tools. A recorder forwards and records them; a replay returns recorded answers. */
export interface CallInterceptor {
  callModel(p: {
    model: Llm;
    request: LlmRequest;
    options: LlmOptions;
    agentName: string;
    branch: string | undefined;
  }): AsyncIterable<LlmResponse>;
  callTool(p: { tool: Tool; args: JsonObject; toolContext: ToolContext }): Promise<unknown>;
}

/** Sets the handler of all calls of models and tools in runs with this runtime. */
export function setCallInterceptor(runtime: Runtime, interceptor: CallInterceptor): void {
  Object.defineProperty(runtime, key, { value: interceptor });
}

/** Returns the handler that `setCallInterceptor` set. Undefined if models and tools are called directly. */
export function callInterceptorOf(runtime: Runtime): CallInterceptor | undefined {
  return (runtime as { [key]?: CallInterceptor })[key];
}
