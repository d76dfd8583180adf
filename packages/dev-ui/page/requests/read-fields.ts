import type { Json, JsonObject } from '@thole/core';
import { inexactJson, isExactNumber, readJson } from '../components/read-json.ts';
import type { SchemaField } from './schema-field.ts';

/** Values of fields by path: a text, or true for a checked checkbox. The text of a choice is its index. */
export type FieldValues = Readonly<Record<string, string | boolean>>;

/** Problems of fields by path; the empty path is the whole answer. */
export type FieldProblems = Readonly<Record<string, string>>;

/** Returns the initial value of a field. */
export function initialValue(field: SchemaField): string | boolean {
  const { default: value } = field;
  if (field.kind === 'boolean') return value === true;
  if (value === undefined || value === null) return '';
  if (field.kind === 'choice') return String(Math.max(-1, field.choices!.indexOf(value))).replace('-1', '');
  return typeof value === 'string' && field.kind !== 'json' ? value : JSON.stringify(value, undefined, 2);
}

/** Returns the answer of a form as JSON, and the problems of its fields. Empty optional fields are left out. */
export function readFields(
  root: SchemaField,
  values: FieldValues,
): { value?: Json | undefined; problems: FieldProblems } {
  const problems: Record<string, string> = {};
  const value = readField(root, values, problems);
  return { problems, ...(value !== undefined && { value }) };
}

function readField(field: SchemaField, values: FieldValues, problems: Record<string, string>): Json | undefined {
  if (field.kind === 'group') {
    const read: JsonObject = {};
    for (const each of field.fields!) {
      const value = readField(each, values, problems);
      if (value !== undefined) read[each.name] = value;
    }
    return read;
  }
  const given = values[field.path] ?? initialValue(field);
  if (typeof given === 'boolean') return given;
  if (given.trim() === '') return readEmpty(field, problems);
  const problem = (text: string): undefined => void (problems[field.path] = text);
  switch (field.kind) {
    case 'choice':
      return field.choices![Number(given)];
    case 'number': {
      const number = Number(given);
      if (!Number.isFinite(number)) return problem('Enter a number.');
      if (field.isInteger && !Number.isInteger(number)) return problem('Enter a whole number.');
      return isExactNumber(number, given.trim())
        ? number
        : problem('Some digits would be lost. Enter at most 15 digits.');
    }
    case 'json':
      try {
        const { value, isExact } = readJson(given);
        return isExact ? value : problem(inexactJson);
      } catch {
        return problem('Enter valid JSON.');
      }
    default:
      return given;
  }
}

function readEmpty(field: SchemaField, problems: Record<string, string>): Json | undefined {
  if (field.isNullable) return field.isRequired ? null : undefined;
  if (field.isRequired) problems[field.path] = field.kind === 'choice' ? 'Choose a value.' : 'Enter a value.';
  return undefined;
}
