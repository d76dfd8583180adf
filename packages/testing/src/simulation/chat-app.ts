import { getFunctionCalls } from '@thole/core';
import type { Agent, App, Event, Llm, LlmRequest, LlmResponse, Tool } from '@thole/core';
import { calls, says } from '../answers.ts';
import type { RunnerClasses } from './simulated-runner.ts';
import type { ScheduledProcess } from './run-schedule.ts';

/** The agents that answer messages: one, two after each other, or two at the same time. */
export type ChatKind = 'single' | 'sequential' | 'parallel';

/**
 * Returns an app whose models answer with the ids of the unanswered messages. For every second message they call a tool
 * first, so that messages arrive between their calls.
 */
export function createChatApp(classes: RunnerClasses, kind: ChatKind, process: ScheduledProcess): App {
  const { LlmAgent, ParallelAgent, SequentialAgent } = classes;
  const agent = (name: string): Agent =>
    new LlmAgent({ name, model: modelOf(name, process), instruction: () => 'Answer.', tools: [lookTool(process)] });
  const subAgents = [agent('one'), agent('two')];
  const rootAgent =
    kind === 'single'
      ? subAgents[0]!
      : kind === 'sequential'
        ? new SequentialAgent({ name: 'both', subAgents })
        : new ParallelAgent({ name: 'both', subAgents });
  return { name: 'chats', rootAgent };
}

/** Returns the text of the message with this id. */
export function messageText(id: string): string {
  return `message ${id}`;
}

/** Returns the ids of the messages in these texts, in order, each once. */
export function messageIds(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => /^message (\S+)$/.exec(text)?.[1] ?? []))];
}

/** Returns the ids that an answer names. */
function answeredIds(text: string): string[] {
  return /^answers (.*)$/.exec(text)?.[1]?.split(' ') ?? [];
}

/** Returns the ids of messages that each agent has answered, in the order of its answers. */
export function answersByAgent(events: readonly Event[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { author, content, partial } of events) {
    if (content?.role !== 'model' || partial) continue;
    const ids = (content.parts ?? []).flatMap(({ text }) => answeredIds(text ?? ''));
    found.set(author, [...(found.get(author) ?? []), ...ids]);
  }
  return found;
}

function modelOf(agent: string, { gate, random, sleep }: ScheduledProcess): Llm {
  return {
    model: 'simulated',
    specVersion: 1,
    async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void, undefined> {
      const texts = (role: string): string[] =>
        contents.flatMap((content) =>
          content.role === role ? (content.parts ?? []).flatMap(({ text }) => text ?? []) : [],
        );
      const answers = texts('model');
      const answered = new Set(answers.flatMap(answeredIds));
      const open = messageIds(texts('user')).filter((id) => !answered.has(id));
      const looks = contents.flatMap((content) =>
        content.role === 'model' ? getFunctionCalls({ content }) : [],
      ).length;
      await gate(`model ${agent}: asked`);
      await sleep(randomPauseMs(random));
      await gate(`model ${agent}: answers`);
      const looksFirst = /[13579]$/.test(open[0] ?? '') && looks <= answers.length;
      yield looksFirst ? calls('look', {}, `look-${agent}-${looks}`) : says(`answers ${open.join(' ')}`.trim());
    },
  };
}

function lookTool({ gate, random, sleep }: ScheduledProcess): Tool {
  return {
    name: 'look',
    description: 'Looks.',
    idempotent: true,
    declaration: () => ({ name: 'look', description: 'Looks.', parametersJsonSchema: { type: 'object' } }),
    async runAsync() {
      await gate('tool look: begins');
      await sleep(randomPauseMs(random));
      await gate('tool look: ends');
      return { seen: true };
    },
  };
}

/** Returns 0, 50, 100 or 150. */
export function randomPauseMs(random: () => number): number {
  return Math.floor(random() * 4) * 50;
}
