import type { Interrupt, Json, JsonObject } from '@thole/core';
import type { UiUsage } from './total-usage.ts';

/** An interrupt as a part of a message. The part of an answered interrupt has the same id. */
export interface InterruptData extends Interrupt {
  isOpen: boolean;
  /** First response of a long-running tool, such as a ticket. */
  note?: JsonObject | undefined;
}

/**
 * A chunk of the AI SDK's UI message stream. Tools are sent as dynamic tools, because the server does not know the page's types.
 */
export type UiChunk =
  | { type: 'start'; messageId: string; messageMetadata: UiMetadata }
  | { type: 'message-metadata'; messageMetadata: UiMetadata }
  | { type: 'finish'; finishReason: UiFinishReason; messageMetadata: UiMetadata }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | ({ type: 'tool-input-available'; providerExecuted?: true } & UiCall)
  | ({ type: 'tool-input-error'; errorText: string } & UiCall)
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean }
  | { type: 'tool-output-available'; toolCallId: string; output: Json; preliminary?: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'file'; url: string; mediaType: string }
  | { type: 'data-interrupt'; id: string; data: InterruptData }
  | { type: 'data-artifact'; id: string; data: { filename: string; version: number } }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason: string };

/** A call of a tool. */
interface UiCall {
  toolCallId: string;
  toolName: string;
  input: JsonObject | string;
  dynamic: true;
}

/** The metadata of an assistant message. */
export interface UiMetadata {
  invocationId?: string | undefined;
  /** `paused`: the invocation waits for an answer to an interrupt. */
  status?: 'completed' | 'paused' | undefined;
  /** Tokens of the message, if its models report them. */
  totalUsage?: UiUsage | undefined;
  /** The error of a stored invocation that failed. */
  errorText?: string | undefined;
}

/** A finish reason of the AI SDK. */
export type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** A message of the AI SDK, with the parts that the AI SDK creates from its chunks. */
export interface UiMessage {
  id: string;
  role: 'user' | 'assistant';
  metadata?: UiMetadata | undefined;
  parts: JsonObject[];
}
