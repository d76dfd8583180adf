/** Replies that the dispatcher writes itself. */
export interface Texts {
  /** To an unknown sender, with `refuse`. An empty text sends nothing. */
  refused: string;
  /** To an unknown sender, once, with `approve`. */
  waiting: string;
  /** To a sender who was approved. */
  approved: string;
  /** If the run of a message failed. */
  failed: string;
  /** If a command failed. */
  commandFailed: string;
  /** After an unknown command. */
  unknownCommand: string;
  /** If an answer does not fit a question. */
  answerInvalid: string;
  /** Words that approve and refuse a confirmation. The first of each is shown as a choice. */
  yes: readonly string[];
  no: readonly string[];
}

/** The default texts. */
export const defaultTexts: Texts = {
  refused: '',
  waiting: 'Your message has arrived. A person has to let you in first.',
  approved: 'You are in. Your messages are being answered now.',
  failed: 'Something went wrong, and your message could not be answered. Please send it again.',
  commandFailed: 'The command failed. Please try again.',
  unknownCommand: 'There is no such command. /help lists all commands.',
  answerInvalid: 'This answer does not fit the question. Please answer again.',
  yes: ['yes', 'y', 'ok', 'okay', 'approve'],
  no: ['no', 'n', 'cancel', 'reject'],
};
