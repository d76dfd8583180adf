import type { JsonObject } from '@thole/core';

/** The parts of a request that the demo model uses. */
export interface Turn {
  /** The guest's current message. */
  message: string;
  /** The guest's earlier messages in this conversation, oldest first. */
  earlier: readonly string[];
  /** Memories quoted in the request, ordered by time. */
  quoted: readonly Memory[];
  /** Today's date from the instruction, YYYY-MM-DD. */
  today: string | undefined;
  /** Names of the callable tools. */
  tools: ReadonlySet<string>;
  /** Tool answers since the message, in order. */
  answers: readonly ToolAnswer[];
}

/** A remembered text and its author. A note may have no author. */
export interface Memory {
  text: string;
  author?: string | undefined;
  /** ISO 8601. */
  time?: string | undefined;
}

/** The answer of a tool. */
export interface ToolAnswer {
  name: string;
  response: JsonObject;
}

/** Returns a tool's error, or the text `otherwise` without an error. */
export function errorIn({ error }: JsonObject, otherwise: string): string {
  return typeof error === 'string' ? error : otherwise;
}

/** Returns the last answer of this tool in the turn. Undefined if it was not called. */
export function answerOf(turn: Turn, tool: string): JsonObject | undefined {
  return turn.answers.findLast((answer) => answer.name === tool)?.response;
}

/** True for a JSON object: not null and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
