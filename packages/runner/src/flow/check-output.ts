import { textOf, TholeError } from '@thole/core';
import { JsonCopier, resolveToJson } from '@thole/core/kit';
import type { Content } from '@thole/core';
import type { JsonProblem, ReadSchema } from '@thole/core/kit';

/** The text to store for a typed answer, or its problem: as a sentence for the model, and for an error without content. */
export type CheckedOutput = { text: string } | { problem: string; mismatch: string | undefined };

/**
 * Parses an answer's text as JSON and validates it. Returns the text unchanged unless the schema transforms the value. Throws
 * `INVALID_INPUT` if the schema returns a value that is not JSON.
 */
export async function checkOutput(schema: ReadSchema, content: Content | undefined): Promise<CheckedOutput> {
  const text = removeCodeFence(textOf(content));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'The answer must be only JSON.', mismatch: 'it is not JSON' };
  }
  const checked = await schema.validate(value);
  if ('issues' in checked) {
    const { issues, mismatch } = checked;
    return { problem: `The answer does not fit: ${issues.join('; ')}.`, mismatch };
  }
  const output = outputText(checked.value);
  return { text: output === JSON.stringify(value) ? text : output };
}

/** Returns a validated value as JSON text. Throws `INVALID_INPUT` with the path of a value that is not JSON. */
export function outputText(value: unknown): string {
  return JSON.stringify(new JsonCopier(failWithPath).copy(resolveToJson(value), 'output'));
}

function failWithPath({ path, problem }: JsonProblem): never {
  const message = `The value that outputSchema returned must be JSON, but ${path} ${problem}. Transform it to JSON, or validate without a transform.`;
  throw new TholeError('INVALID_INPUT', message, { details: { path } });
}

/** Returns the content with its text replaced by this text. Thoughts and other parts stay. */
export function withText(content: Content | undefined, text: string): Content {
  if (textOf(content) === text) return content!;
  const others = (content?.parts ?? []).filter((part) => part.text === undefined || part.thought);
  return { role: 'model', ...content, parts: [...others, { text }] };
}

// Some models put JSON between code fences. The pattern takes linear time, also for many blank lines.
function removeCodeFence(text: string): string {
  const trimmed = text.trim();
  return /^```(?:json)?[^\S\n]*\n([^]*)```$/.exec(trimmed)?.[1]!.trim() ?? trimmed;
}
