import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { OTHER_AGENT_HEADING } from '@thole/core/kit';
import type { Content, Event, FunctionResponsePart, Part } from '@thole/core';
import { hasCallsOrAnswers, isBlankPart } from '../history/event-kinds.ts';
import { callKey } from '../history/call-key.ts';
import { textPart, userContent } from './freeze-content.ts';

/**
 * Converts the events of other agents into user contents with one line of text for each part. So an agent never sees the text
 * or the calls of another agent as its own. Thoughts, signatures and provider marks of others are removed; data and files are
 * kept. Answers to calls of other agents are converted in the same way.
 */
export function retellOthers(events: readonly Event[], agentName: string): readonly Event[] {
  const callers = new Map<string, string>();
  return events.map((event) => {
    const isOther = event.author !== 'user' && event.author !== agentName;
    if (!hasCallsOrAnswers(event)) return isOther ? retold(event) : event;
    const shown = isOther ? retold(event) : withForeignAnswersRetold(event, agentName, callers);
    // Calls of the user exist only in an imported history. They and their answers are shown unchanged.
    const caller = event.author === 'user' ? agentName : event.author;
    for (const call of getFunctionCalls(event)) callers.set(callKey(call), caller);
    return shown;
  });
}

const heading = textPart(OTHER_AGENT_HEADING);

function retold(event: Event): Event {
  return { ...event, content: retoldContent(event) };
}

/** Returns the content that replaces another agent's event, frozen. It does not depend on other events. */
export function retoldContent(event: Event): Content {
  const lines = [heading];
  const parts = event.content?.parts ?? [];
  for (let i = 0; i < parts.length; i++) lines.push(...linesOf(parts[i]!, event.author));
  return userContent(lines);
}

function linesOf(part: Part, agent: string): Part[] {
  const line = (text: string): Part[] => [textPart(`[${agent}] ${text}`)];
  const { functionCall, functionResponse, inlineData, fileData, executableCode, codeExecutionResult } = part;
  if (part.thought || isBlankPart(part)) return [];
  if (functionCall) return line(`called ${functionCall.name} with ${JSON.stringify(functionCall.args)}`);
  if (functionResponse) return line(returned(functionResponse));
  if (executableCode) return line(`ran code: ${executableCode.code}`);
  if (codeExecutionResult)
    return line(`code result: ${codeExecutionResult.output ?? codeExecutionResult.outcome ?? 'none'}`);
  if (inlineData) return [...line('gave this:'), Object.freeze({ inlineData })];
  if (fileData) return [...line('gave this:'), Object.freeze({ fileData })];
  return line(`said: ${part.text}`);
}

const returned = ({ name, response, parts = [] }: NonNullable<Part['functionResponse']>): string =>
  [`${name} returned ${JSON.stringify(response)}`, ...parts.map(fileName)].join(' and ');

function fileName({ inlineData, fileData }: FunctionResponsePart): string {
  const { displayName, mimeType = 'unknown type' } = inlineData ?? fileData ?? {};
  const name = displayName ?? fileData?.fileUri;
  return `a file (${mimeType})${name === undefined ? '' : ` ${JSON.stringify(name)}`}`;
}

function withForeignAnswersRetold(event: Event, agentName: string, callers: ReadonlyMap<string, string>): Event {
  const callerOf = (part: Part): string =>
    (part.functionResponse && callers.get(callKey(part.functionResponse))) ?? agentName;
  const parts = event.content?.parts ?? [];
  if (getFunctionResponses(event).every((answer) => (callers.get(callKey(answer)) ?? agentName) === agentName))
    return event;
  const shown = parts.map((part): Part =>
    callerOf(part) === agentName ? part : textPart(`[${callerOf(part)}] ${returned(part.functionResponse!)}`),
  );
  return { ...event, content: { role: 'user', parts: shown } };
}
