import type { JsonObject } from '@thole/core';

/** Names of the events of AG-UI that the server sends. */
export type AgUiEventType =
  | 'RUN_STARTED'
  | 'RUN_FINISHED'
  | 'RUN_ERROR'
  | 'STEP_STARTED'
  | 'STEP_FINISHED'
  | 'TEXT_MESSAGE_START'
  | 'TEXT_MESSAGE_CONTENT'
  | 'TEXT_MESSAGE_END'
  | 'REASONING_START'
  | 'REASONING_MESSAGE_START'
  | 'REASONING_MESSAGE_CONTENT'
  | 'REASONING_MESSAGE_END'
  | 'REASONING_END'
  | 'REASONING_ENCRYPTED_VALUE'
  | 'TOOL_CALL_START'
  | 'TOOL_CALL_ARGS'
  | 'TOOL_CALL_END'
  | 'TOOL_CALL_RESULT'
  | 'SUBAGENT_STARTED'
  | 'SUBAGENT_FINISHED'
  | 'SUBAGENT_ERROR'
  | 'STATE_SNAPSHOT'
  | 'STATE_DELTA'
  | 'MESSAGES_SNAPSHOT'
  | 'CUSTOM';

/** Returns the frame of one event. */
export function eventFrame(type: AgUiEventType, members: JsonObject): string {
  return `data: ${JSON.stringify({ type, ...members })}\n\n`;
}
