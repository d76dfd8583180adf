import type { JsonObject } from '@thole/core';
import type { Turn } from './read-turn.ts';

/** A call of a tool, or the text of the answer. */
export type Step = { call: { name: string; args: JsonObject } } | { say: string };

/** A task, reminder or memory as tools return it. */
type Item = { readonly [member: string]: string };

interface Rule {
  pattern: RegExp;
  tool: string;
  args: (groups: { [name: string]: string }) => JsonObject;
  say: (result: JsonObject, groups: { [name: string]: string }, turn: Turn) => Step;
}

const rules: readonly Rule[] = [
  {
    pattern: /^(?:please )?remember(?: that|:)? (?<fact>.+)$/i,
    tool: 'remember',
    args: ({ fact }) => ({ fact: fact! }),
    say: (_, { fact }) => ({ say: `I will remember: “${fact}”` }),
  },
  {
    pattern:
      /^(?:please )?remind me in (?<count>\d+) (?<unit>minute|hour|day)s? (?:to |about |of )?(?<text>.+?)[.!]?$/i,
    tool: 'remind_me',
    args: ({ count, text, unit }) => ({ text: text!, in_minutes: Number(count) * MINUTES[unit!.toLowerCase()]! }),
    say: ({ reminder }) => ({ say: `I will remind you at ${(reminder as Item)['at']}.` }),
  },
  {
    pattern: /^(?:please )?(?:add|new) (?:a )?task:? (?<title>.+?)[.!]?$/i,
    tool: 'add_task',
    args: ({ title }) => ({ title: title! }),
    say: (_, { title }) => ({ say: `It is on your board: ${title}` }),
  },
  {
    pattern: /^(?:done|finished|i have done):? (?<title>.+?)[.!]?$/i,
    tool: 'list_tasks',
    args: () => ({}),
    say: ({ tasks }, { title }, { results }) => completeTask(tasks as Item[], title!, results),
  },
  {
    pattern: /\b(?:tasks|board)\b/i,
    tool: 'list_tasks',
    args: () => ({}),
    say: ({ tasks }) => {
      const open = (tasks as Item[]).filter((task) => task['doneAt'] === undefined);
      return { say: open.length === 0 ? 'Your board is empty.' : formatList('Your tasks:', open, 'title') };
    },
  },
  {
    pattern: /\breminders\b/i,
    tool: 'list_reminders',
    args: () => ({}),
    say: ({ reminders }) => {
      const pending = reminders as Item[];
      return { say: pending.length === 0 ? 'No reminder is pending.' : formatList('Your reminders:', pending, 'text') };
    },
  },
  {
    pattern: /^(?:please )?(?:tell|message|text) (?<recipient>[^:]+?)(?: that |: ?)(?<text>.+)$/i,
    tool: 'message_user',
    args: ({ recipient, text }) => ({ recipient: recipient!, text: text! }),
    say: (result) => ({
      say: result['sent'] === true ? `I have sent it to ${result['to'] as string}.` : (result['ask'] as string),
    }),
  },
  {
    pattern: /\?$|^(?:who|what|when|where|which|how|do|does|is|are) /i,
    tool: 'load_memory',
    args: () => ({}),
    say: ({ memories }, _, { message, earlier }) => {
      const remembered = (memories as Item[]).map(({ text }) => text!).filter((text) => text !== message);
      const mentioned = earlier.filter((text) => shareWords(text, message));
      const known = [...new Set([...remembered, ...mentioned])].filter((text) => !text.endsWith('?'));
      return {
        say:
          known.length === 0 ? 'I do not know that.' : ['You told me:', ...known.map((text) => `- ${text}`)].join('\n'),
      };
    },
  },
  {
    pattern: /^(?<fact>(?:i|my|we|our)\b.+)$/i,
    tool: 'remember',
    args: ({ fact }) => ({ fact: fact! }),
    say: () => ({ say: 'Noted.' }),
  },
];

const MINUTES: { readonly [unit: string]: number } = { minute: 1, hour: 60, day: 1_440 };
const HELP =
  'I am a demo that follows simple rules. Tell me something about you (“My sister is Edda”), ask me (“Who is my sister?”), or say: add a task: …, remind me in 10 minutes to …, tell Edda that …, /help.';

/** Returns the next step of the demo model, from the message and the results of tools. */
export function nextStep(turn: Turn): Step {
  for (const { args, pattern, say, tool } of rules) {
    const match = pattern.exec(turn.message);
    if (!match) continue;
    if (!turn.tools.has(tool)) return { say: 'I cannot do that here: memory is off.' };
    const groups = (match.groups ?? {}) as { [name: string]: string };
    const result = turn.results.get(tool);
    if (!result)
      return {
        call: { name: tool, args: { ...args(groups), ...(tool === 'load_memory' && { query: turn.message }) } },
      };
    return typeof result['error'] === 'string' ? { say: result['error'] } : say(result, groups, turn);
  }
  return { say: HELP };
}

function completeTask(tasks: readonly Item[], title: string, results: Turn['results']): Step {
  if (results.has('complete_task')) return { say: `Well done: ${title}` };
  const isOpen = (task: Item): boolean => task['doneAt'] === undefined;
  const task = tasks.find((each) => isOpen(each) && each['title']!.toLowerCase().includes(title.toLowerCase()));
  return task ? { call: { name: 'complete_task', args: { id: task['id']! } } } : { say: 'There is no such task.' };
}

function formatList(heading: string, items: readonly Item[], member: string): string {
  return [heading, ...items.map((item) => `- ${item[member]}`)].join('\n');
}

function shareWords(a: string, b: string): boolean {
  const words = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  return words(a).some((word) => words(b).includes(word));
}
