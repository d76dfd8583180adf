import { textOf } from '@thole/core';
import type { Content, LlmRequest, LlmResponse } from '@thole/core';
import { says, ScriptedLlm } from '@thole/testing';
import type { Models } from '../../src/models/choose-models.ts';

/** Answers of the agent's model by the last line of the user's message. The n-th answer follows n - 1 results of tools. */
export type Chat = { readonly [message: string]: readonly (LlmResponse | ((request: LlmRequest) => LlmResponse))[] };

/** Maximum number of calls in one test. */
const CALLS = 200;

/** Returns models that answer with the given texts, and extract facts from what users write about themselves. */
export function scriptedModels(chat: Chat): Models & { agent: ScriptedLlm; memory: ScriptedLlm } {
  return {
    agent: new ScriptedLlm(...Array.from({ length: CALLS }, () => (request: LlmRequest) => answerTo(request, chat))),
    memory: new ScriptedLlm(...Array.from({ length: CALLS }, () => answerAboutMemory)),
    embedder: undefined,
    notice: 'The model is a script.',
  };
}

/** Returns all texts of a request. */
export function textsIn({ contents, config }: LlmRequest): string {
  return [config.systemInstruction ?? '', ...contents.map(textOf)].join('\n');
}

function answerTo(request: LlmRequest, chat: Chat): LlmResponse {
  const { contents } = request;
  const hasToolResult = ({ parts }: Content): boolean => parts?.some((part) => part.functionResponse) === true;
  const messageIndex = contents.findLastIndex((content) => content.role !== 'model' && !hasToolResult(content));
  const message = textOf(contents[messageIndex]).split('\n').at(-1)!;
  const answers = chat[message];
  if (!answers) throw new Error(`The script has no answer to: ${message}`);
  const answer = answers[contents.slice(messageIndex + 1).filter(hasToolResult).length];
  if (!answer) throw new Error(`The script has no more answers to: ${message}`);
  return typeof answer === 'function' ? answer(request) : answer;
}

/** Answers like the model of memory: extracts facts, writes profiles and proposes additions. */
function answerAboutMemory(request: LlmRequest): LlmResponse {
  const text = textsIn(request);
  const members = Object.keys((request.config.responseJsonSchema as { properties?: object }).properties ?? {});
  const findGroups = (pattern: RegExp): string[][] =>
    Array.from(text.matchAll(pattern), (found) => found.slice(1) as string[]);
  if (members.includes('lines')) return says(JSON.stringify({ lines: findGroups(/^- (.+)$/gm).map(([line]) => line) }));
  const userTurns = findGroups(/^(t\d+) [^:]+:\d\d[^ ]* user: (.+)$/gm);
  if (members.includes('proposals')) {
    const proposals = userTurns.map(([label, fact]) => ({
      action: 'add',
      target: '',
      text: fact,
      reason: 'The user wrote it.',
      evidence: [label],
    }));
    return says(JSON.stringify({ proposals }));
  }
  const known = findGroups(/^(k\d+) [^:]*:?[^:]*: (.+)$/gm);
  const operations = userTurns.flatMap(([label, fact]) => {
    if (!/^(I|My|Grace)\b/.test(fact!)) return [];
    const outdated = /fish/.test(fact!) ? known.find(([, each]) => /vegetarian/.test(each!))?.[0] : undefined;
    return [
      {
        op: outdated ? 'supersede' : 'add',
        text: fact,
        evidence: [label],
        fact: outdated ?? '',
        since: '',
        duplicateOf: '',
      },
    ];
  });
  return says(JSON.stringify({ operations }));
}
