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
  /** Results of tools after the message, by the names of the tools. */
  results: ReadonlyMap<string, JsonObject>;
}

/** Reads the user's last message of a request, and the results after it. */
export function readTurn({ contents, config }: LlmRequest): Turn {
  const isUserMessage = (content: Content): boolean =>
    content.role !== 'model' && textOf(content) !== '' && toolResults(content).length === 0;
  const messageIndex = contents.findLastIndex(isUserMessage);
  const tools = (config.tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? tool.functionDeclarations.map(({ name }) => name) : [],
  );
  // Messages that arrive together are lines of one message.
  const lines = textOf(contents[messageIndex]).trim().split('\n');
  return {
    message: lines.at(-1)!,
    earlier: [...contents.slice(0, Math.max(messageIndex, 0)).filter(isUserMessage).map(textOf), ...lines.slice(0, -1)],
    tools: new Set(tools),
    results: new Map(contents.slice(messageIndex + 1).flatMap(toolResults)),
  };
}

function toolResults({ parts = [] }: Content): [string, JsonObject][] {
  return parts.flatMap(({ functionResponse }) =>
    functionResponse ? [[functionResponse.name, functionResponse.response] as [string, JsonObject]] : [],
  );
}
