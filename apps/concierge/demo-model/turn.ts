import type { JsonObject } from '@thole/core';

/** What the demo model sees of a request. */
export interface Turn {
  /** What the guest said now. */
  message: string;
  /** What the guest said before in this conversation, oldest first. */
  earlier: readonly string[];
  /** Memories quoted in the request, in the order of time. */
  quoted: readonly Memory[];
  /** As the instruction tells it, YYYY-MM-DD. */
  today: string | undefined;
  /** Names of the tools that may be called. */
  tools: ReadonlySet<string>;
  /** What tools answered since the message, in order. */
  answers: readonly ToolAnswer[];
}

/** Something remembered, and who said it; a note may have no author. */
export interface Memory {
  text: string;
  author?: string | undefined;
  /** ISO 8601. */
  time?: string | undefined;
}

export interface ToolAnswer {
  name: string;
  response: JsonObject;
}

/** What a tool gave as its error, or other words where it gave none. */
export function errorIn({ error }: JsonObject, otherwise: string): string {
  return typeof error === 'string' ? error : otherwise;
}

/** What this tool answered last in the turn; undefined when it was not called. */
export function answerOf(turn: Turn, tool: string): JsonObject | undefined {
  return turn.answers.findLast((answer) => answer.name === tool)?.response;
}
