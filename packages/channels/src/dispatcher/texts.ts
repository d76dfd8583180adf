import { TholeError } from '@thole/core';
import { invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';

/** Replies of the dispatcher itself. */
export interface Texts {
  /** Sent to an unknown sender with `unknownSenders: 'refuse'`. An empty text is not sent. */
  refused: string;
  /** Sent once for each access request of an unknown sender with `unknownSenders: 'approve'`. */
  waiting: string;
  /** Sent once for each access request to a sender who was approved. */
  approved: string;
  /** Sent if the run of a message has failed, also if the run had continued later, for example after a timer. */
  failed: string;
  /** Sent if a command has failed. */
  commandFailed: string;
  /** Sent after an unknown command. */
  unknownCommand: string;
  /** Sent if an answer to a question is invalid. */
  answerInvalid: string;
  /** Words that approve a confirmation. The first word is shown as a choice. */
  yes: readonly string[];
  /** Words that reject a confirmation. The first word is shown as a choice. */
  no: readonly string[];
}

/** The default texts. */
export const defaultTexts: Texts = {
  refused: '',
  waiting: 'Your message was received. It will be answered when you are approved.',
  approved: 'You are approved. Your messages are being answered now.',
  failed: 'Something went wrong, and your message could not be answered. Please send it again.',
  commandFailed: 'The command failed. Please try again.',
  unknownCommand: 'There is no such command. /help lists all commands.',
  answerInvalid: 'This answer does not fit the question. Please answer again.',
  yes: ['yes', 'y', 'ok', 'okay', 'approve'],
  no: ['no', 'n', 'cancel', 'reject'],
};

const names = optionNames<Texts>({
  refused: true,
  waiting: true,
  approved: true,
  failed: true,
  commandFailed: true,
  unknownCommand: true,
  answerInvalid: true,
  yes: true,
  no: true,
});

/** Returns the default texts with those of the option `texts`. Throws `INVALID_INPUT` for a wrong one. */
export function readTexts(texts: { readonly [name in keyof Texts]?: Texts[name] | undefined } = {}): Texts {
  rejectUnknownOptions(texts, names, 'texts');
  const given = Object.entries(texts).filter(([, text]) => text !== undefined);
  for (const [name, text] of given as [string, unknown][]) {
    if (name !== 'yes' && name !== 'no') {
      if (typeof text !== 'string') throw invalidInput(`texts.${name}`, 'a string', text);
    } else if (!Array.isArray(text)) throw invalidInput(`texts.${name}`, 'an array of words', text);
    else if (text.length === 0 || text.some((word) => typeof word !== 'string' || word.trim() === ''))
      throw new TholeError('INVALID_INPUT', `texts.${name} must have at least one word, and no empty words.`);
  }
  return { ...defaultTexts, ...Object.fromEntries(given) };
}
