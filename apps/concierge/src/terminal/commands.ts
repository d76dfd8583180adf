import { TholeError } from '@thole/core';
import type { Concierge, Ended } from '../concierge.ts';
import { oneLine } from './plain-text.ts';

/** The context of a command. */
export interface CommandContext {
  concierge: Concierge;
  /** Prints one or more lines. */
  print: (text: string) => void;
  quit: () => void;
  /** Stops work of a model. */
  signal: AbortSignal;
}

interface Command {
  usage: string;
  help: string;
  run(argument: string, context: CommandContext): Promise<void> | void;
}

const WIDTH = 160;

/** The chat's own commands in the order of `/help`; memory's commands are between them. */
export const commands: { readonly [name: string]: Command } = {
  new: {
    usage: '/new',
    help: 'end this conversation, keep it in memory, and begin another',
    async run(_argument, { concierge, print, signal }) {
      const ended = await concierge.endConversation(signal);
      const isKept = ended !== undefined && concierge.remembers;
      print(isKept ? 'The conversation was added to memory. A new conversation starts.' : 'A new conversation has begun.');
      printDelay(ended, print);
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
  guest: {
    usage: '/guest <name>',
    help: 'let another guest talk; this conversation ends and is kept in memory',
    async run(argument, { concierge, print, signal }) {
      if (argument === '') return print(`${concierge.guest} is talking. Write /guest <name> to change that.`);
      const ended = await concierge.switchGuest(argument, signal);
      print(`${oneLine(concierge.guest, WIDTH)} is talking now.`);
      printDelay(ended, print);
    },
  },
  help: {
    usage: '/help',
    help: 'show this',
    run(_argument, { concierge, print }) {
      const { new: first, ...others } = commands;
      const reset = { usage: '/reset', help: 'as /new, and take the conversation out of the list' };
      const ofMemory = concierge.help.map((each) => (each.usage === reset.usage ? reset : each));
      for (const { usage, help } of [first!, ...ofMemory, ...Object.values(others)])
        print(`  ${usage.padEnd(18)} ${help}`);
      print('  Everything else is said to the concierge.');
    },
  },
  quit: {
    usage: '/quit',
    help: 'end the conversation, keep it in memory, and leave',
    run: (_argument, { quit }) => quit(),
  },
};

/** Prints why facts could not be extracted from a conversation, if so. */
export function printDelay(ended: Ended | undefined, print: (text: string) => void): void {
  if (ended?.delayedBy === undefined) return;
  const { delayedBy: error } = ended;
  const why = TholeError.is(error) ? error.code : error instanceof Error ? error.name : 'stopped';
  print(`(What it tells about the guest is noted later: ${why}.)`);
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}
