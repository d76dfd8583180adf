import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import type { Concierge } from '../concierge.ts';
import { oneLine } from './plain-text.ts';

/** What commands work on. */
export interface CommandContext {
  concierge: Concierge;
  /** Writes one line. */
  print: (line: string) => void;
  /** What `/memory` listed last: `/forget <number>` means one of these. */
  listed: readonly MemoryEntry[] | undefined;
  /** Asks a question that the next line answers; false hands the line on, as if nobody had asked. */
  ask: (question: string, answer: (line: string) => Promise<boolean>) => void;
  quit: () => void;
}

interface Command {
  usage: string;
  help: string;
  run(argument: string, context: CommandContext): Promise<void> | void;
}

const WIDTH = 160;
const KEPT = 'Bookings stay; a new conversation has begun.';

/** Every command of the chat, in the order in which `/help` shows them. */
export const commands: { readonly [name: string]: Command } = {
  new: {
    usage: '/new',
    help: 'end this conversation, keep it in memory, and begin another',
    async run(_argument, { concierge, print }) {
      const ended = await concierge.endConversation();
      print(
        ended && concierge.remembers
          ? 'The conversation is in memory now. A new one has begun.'
          : 'A new conversation has begun.',
      );
    },
  },
  sessions: {
    usage: '/sessions',
    help: 'list the conversations of this guest',
    async run(_argument, { concierge, print }) {
      const sessions = await concierge.conversations();
      if (sessions.length === 0) print(`${concierge.guest} has had no conversation yet.`);
      for (const { id, lastUpdateTime, lastSeq } of sessions) {
        print(
          `  ${timeOf(lastUpdateTime)}  ${lastSeq} events  ${id}${id === concierge.sessionId ? '  (this one)' : ''}`,
        );
      }
    },
  },
  memory: {
    usage: '/memory [query]',
    help: 'show what is remembered of this guest, or what fits a query',
    async run(argument, context) {
      const entries = await context.concierge.memories(argument);
      context.listed = entries;
      if (entries.length === 0)
        context.print(argument ? 'No memory fits that.' : `Nothing is remembered of ${context.concierge.guest}.`);
      entries.forEach((entry, i) => context.print(memoryLine(entry, i + 1)));
    },
  },
  forget: {
    usage: '/forget [number]',
    help: 'forget everything about this guest (asks first), or one line of /memory',
    run: (argument, context) => (argument === '' ? forgetAll(context) : forgetOne(argument, context)),
  },
  remember: {
    usage: '/remember <fact>',
    help: 'keep a fact about this guest, word for word',
    async run(argument, { concierge, print }) {
      if (argument === '') return print('What shall be remembered? Write /remember <fact>.');
      await concierge.remember(argument);
      print(`Remembered of ${concierge.guest}: ${oneLine(argument, WIDTH)}`);
    },
  },
  guest: {
    usage: '/guest <name>',
    help: 'let another guest talk; this conversation ends and is kept in memory',
    async run(argument, context) {
      const { concierge, print } = context;
      if (argument === '') return print(`${concierge.guest} is talking. Write /guest <name> to change that.`);
      await concierge.switchGuest(argument);
      context.listed = undefined;
      print(`${oneLine(concierge.guest, WIDTH)} is talking now.`);
    },
  },
  help: {
    usage: '/help',
    help: 'show this',
    run(_argument, { print }) {
      for (const { usage, help } of Object.values(commands)) print(`  ${usage.padEnd(18)} ${help}`);
      print('  Everything else is said to the concierge.');
    },
  },
  quit: {
    usage: '/quit',
    help: 'end the conversation, keep it in memory, and leave',
    run: (_argument, { quit }) => quit(),
  },
};

async function forgetAll({ concierge, print, ask }: CommandContext): Promise<void> {
  // Fails at once, and not after the question, where there is no memory.
  await concierge.memories('');
  const { guest } = concierge;
  ask(`Forget everything that is remembered of ${guest}? Answer yes or no.`, async (line) => {
    const answer = line.trim().toLowerCase();
    if (answer !== 'yes') {
      print('Nothing was forgotten.');
      return answer === '' || answer === 'no' || answer === 'n';
    }
    const count = await concierge.forgetAll();
    print(`Forgotten: ${count === 1 ? 'one memory' : `${count} memories`} of ${guest}. ${KEPT}`);
    return true;
  });
}

async function forgetOne(argument: string, context: CommandContext): Promise<void> {
  const { concierge, print } = context;
  context.listed ??= await concierge.memories('');
  const entry = /^\d+$/.test(argument) ? context.listed[Number(argument) - 1] : undefined;
  if (!entry) return print('There is no such line: /memory lists them with their numbers.');
  const was = await concierge.forget(entry.id);
  print(was ? `Forgotten: ${oneLine(textOf(entry.content), WIDTH)} ${KEPT}` : 'That was forgotten already.');
}

function memoryLine({ content, author, timestamp, kind }: MemoryEntry, number: number): string {
  const who = kind === 'note' ? 'kept' : (author ?? 'somebody');
  return `  ${number}. ${timestamp === undefined ? '' : `${timeOf(timestamp)}  `}${who}: ${oneLine(textOf(content), WIDTH)}`;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
