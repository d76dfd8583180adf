const MAX_LENGTH = 500;

/** Returns at most 500 characters of an error message for a client. A message may contain a long key of the client. */
export function clipMessage(message: string): string {
  return message.length <= MAX_LENGTH ? message : `${message.slice(0, MAX_LENGTH).toWellFormed()}…`;
}
