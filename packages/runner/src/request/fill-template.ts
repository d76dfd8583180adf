import { TholeError } from '@thole/core';
import { decodeBase64 } from '@thole/core/kit';
import type { CallbackContext, Json, Part } from '@thole/core';

const ARTIFACT = 'artifact.';
// `${x}`, `{{x}}` and everything that cannot be a key stay unchanged, because an instruction may contain JSON and code.
const PLACEHOLDER =
  /(?<![${])\{(artifact\.[^{}?]+|(?:app:|user:|temp:)?[\p{ID_Start}_][\p{ID_Continue}-]*(?:\.[\p{ID_Continue}-]+)*)(\??)\}(?!\})/gu;

/**
 * Replaces `{key}` with state values and `{artifact.name}` with texts of artifacts. Placeholders in inserted text are not
 * replaced. Throws `STATE_KEY_MISSING` for a missing value; `{key?}` inserts nothing instead. Throws `INVALID_INPUT` for an
 * artifact that is not text.
 */
export async function fillTemplate(template: string, context: CallbackContext, where: string): Promise<string> {
  if (!template.includes('{')) return template;
  let filled = '';
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, name = '', optional] = match;
    const value = name.startsWith(ARTIFACT)
      ? await textOfArtifact(name.slice(ARTIFACT.length), context, where)
      : textOfValue(context.state.get(name));
    if (value === undefined && !optional) {
      const what = name.startsWith(ARTIFACT) ? `the artifact ${name.slice(ARTIFACT.length)}` : `the state key ${name}`;
      throw new TholeError(
        'STATE_KEY_MISSING',
        `${where} names ${what}, which does not exist. Set it, or write {${name}?} if it is optional.`,
      );
    }
    filled += template.slice(end, match.index) + (value ?? '');
    end = match.index + whole.length;
  }
  return filled + template.slice(end);
}

function textOfValue(value: Json | undefined): string | undefined {
  return typeof value === 'object' ? JSON.stringify(value) : value === undefined ? undefined : String(value);
}

async function textOfArtifact(filename: string, context: CallbackContext, where: string): Promise<string | undefined> {
  const part = await context.loadArtifact(filename);
  const text = part && textOfPart(part);
  if (!part || text !== undefined) return text;
  const mimeType = (part.inlineData ?? part.fileData)?.mimeType ?? 'unknown type';
  throw new TholeError(
    'INVALID_INPUT',
    `${where} names the artifact ${filename} (${mimeType}), which is not UTF-8 text. Use loadArtifactsTool() for it.`,
  );
}

function textOfPart({ text, inlineData }: Part): string | undefined {
  if (text !== undefined || !inlineData) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(decodeBase64(inlineData.data));
  } catch {
    return undefined;
  }
}
