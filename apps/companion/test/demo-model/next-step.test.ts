import type { JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { nextStep } from '../../demo-model/next-step.ts';

const allTools = [
  'remember',
  'load_memory',
  'remind_me',
  'list_reminders',
  'add_task',
  'list_tasks',
  'complete_task',
  'message_user',
];

function step(
  message: string,
  results: { [tool: string]: JsonObject } = {},
  p: { earlier?: string[]; tools?: string[] } = {},
) {
  const { earlier = [], tools = allTools } = p;
  return nextStep({ message, earlier, tools: new Set(tools), results: new Map(Object.entries(results)) });
}

describe('nextStep', () => {
  it.each([
    ['Remember that I like tea', 'remember', { fact: 'I like tea' }],
    ['My sister is Edda.', 'remember', { fact: 'My sister is Edda.' }],
    ['Who is my sister?', 'load_memory', { query: 'Who is my sister?' }],
    ['Remind me in 2 hours to sleep.', 'remind_me', { text: 'sleep', in_minutes: 120 }],
    ['Add a task: water the herbs', 'add_task', { title: 'water the herbs' }],
    ['Show my tasks', 'list_tasks', {}],
    ['Done: water', 'list_tasks', {}],
    ['Which reminders wait?', 'list_reminders', {}],
    ['Tell Edda that I am late.', 'message_user', { recipient: 'Edda', text: 'I am late.' }],
  ])('calls a tool for “%s”', (message, name, args) => {
    expect(step(message)).toEqual({ call: { name, args } });
  });

  it('answers from the results of tools', () => {
    const memories = [{ text: 'My sister is Edda.' }, { text: 'Who is my sister?' }];
    expect(step('Who is my sister?', { load_memory: { memories } })).toEqual({
      say: 'You told me:\n- My sister is Edda.',
    });
    expect(step('Who is my sister?', { load_memory: { memories: [] } })).toEqual({ say: 'I do not know that.' });
    const earlier = ['My sister is Edda.', 'Hello'];
    expect(step('Who is my sister?', { load_memory: { memories: [] } }, { earlier })).toEqual({
      say: 'You told me:\n- My sister is Edda.',
    });
    const tasks = [{ id: 't', title: 'water the herbs' }];
    expect(step('Done: Water', { list_tasks: { tasks } })).toEqual({
      call: { name: 'complete_task', args: { id: 't' } },
    });
    expect(step('Done: Water', { list_tasks: { tasks }, complete_task: {} })).toEqual({ say: 'Well done: Water' });
    expect(step('Done: dishes', { list_tasks: { tasks } })).toEqual({ say: 'There is no such task.' });
    expect(step('Tell Edda that hi', { message_user: { ask: 'Who?' } })).toEqual({ say: 'Who?' });
    expect(step('Tell Edda that hi', { message_user: { error: 'No.' } })).toEqual({ say: 'No.' });
  });

  it('answers with its help for other texts, and reports that memory is off', () => {
    expect(step('Hello')).toEqual({ say: expect.stringContaining('I am a demo') });
    expect(step('Who am I?', {}, { tools: [] })).toEqual({ say: expect.stringContaining('memory is off') });
  });
});
