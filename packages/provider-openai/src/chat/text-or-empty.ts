/** Returns the value if it is a text, otherwise an empty text. */
export const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
