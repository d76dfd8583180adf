/** Prefix of a variant that is a part of a camelCase or PascalCase name. */
export const NAME_PART = '~.';

const HAS_NAME = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}/u;
const NAME = /[\p{L}\p{N}]+/gu;
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+/gu;

/** Returns the parts of the camelCase and PascalCase names in a text, in lower case: "NotFoundError" gives not, found, error. */
export function namePartsIn(text: string): string[] {
  if (!HAS_NAME.test(text)) return [];
  const parts: string[] = [];
  for (const [name] of text.normalize('NFKC').matchAll(NAME)) {
    if (!HAS_NAME.test(name)) continue;
    for (const [part] of name.matchAll(PART)) parts.push(part.toLowerCase());
  }
  return parts;
}
