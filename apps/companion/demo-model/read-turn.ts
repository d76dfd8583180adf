import { textOf } from '@thole/core';
import type { Content, JsonObject, LlmRequest } from '@thole/core';

/** The parts of a request that the demo model uses. */
export interface Turn {
  /** The last line of the user's last message. */
  message: string;
  /** The user's earlier lines in this conversation, oldest first. */
  earlier: readonly string[];
  /** Names of the callable tools. */
  tools: ReadonlySet<string>;
  /** The tools' answers since the message, by name. */
  answers: ReadonlyMap<string, JsonObject>;
}

/** Reads a request: the user's last message and everything since. */
export function readTurn({ contents, config }: LlmRequest): Turn {
  const isSaid = (content: Content): boolean =>
    content.role !== 'model' && textOf(content) !== '' && answersIn(content).length === 0;
  const at = contents.findLastIndex(isSaid);
  const tools = (config.tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? tool.functionDeclarations.map(({ name }) => name) : [],
  );
  // Messages that arrive together are lines of one message.
  const lines = textOf(contents[at]).trim().split('\n');
  return {
    message: lines.at(-1)!,
    earlier: [...contents.slice(0, Math.max(at, 0)).filter(isSaid).map(textOf), ...lines.slice(0, -1)],
    tools: new Set(tools),
    answers: new Map(contents.slice(at + 1).flatMap(answersIn)),
  };
}

function answersIn({ parts = [] }: Content): [string, JsonObject][] {
  return parts.flatMap(({ functionResponse }) =>
    functionResponse ? [[functionResponse.name, functionResponse.response] as [string, JsonObject]] : [],
  );
}
