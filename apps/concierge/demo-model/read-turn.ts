import { textOf } from '@thole/core';
import type { Content, LlmRequest } from '@thole/core';
import { readQuotes } from './read-quotes.ts';
import type { ToolAnswer, Turn } from './turn.ts';

/** Reads the guest's last message and everything after it from a request. */
export function readTurn({ contents, config }: LlmRequest): Turn {
  const index = contents.findLastIndex(isUserMessage);
  const before = contents.slice(0, Math.max(index, 0));
  const quotes = readQuotes(before.at(-1));
  return {
    message: textOf(contents[index]).trim(),
    earlier: before
      .slice(0, quotes ? -1 : undefined)
      .flatMap((content) => (isUserMessage(content) ? [textOf(content)] : [])),
    quoted: quotes ?? [],
    today: /Today is (\d{4}-\d{2}-\d{2})/.exec(config.systemInstruction ?? '')?.[1],
    tools: new Set(
      (config.tools ?? []).flatMap((tool) =>
        'functionDeclarations' in tool ? tool.functionDeclarations.map(({ name }) => name) : [],
      ),
    ),
    answers: contents.slice(index + 1).flatMap(answersIn),
  };
}

function isUserMessage(content: Content): boolean {
  return content.role !== 'model' && textOf(content) !== '' && answersIn(content).length === 0;
}

function answersIn({ parts = [] }: Content): ToolAnswer[] {
  return parts.flatMap(({ functionResponse }) =>
    functionResponse ? [{ name: functionResponse.name, response: functionResponse.response }] : [],
  );
}
