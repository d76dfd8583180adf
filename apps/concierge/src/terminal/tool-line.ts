import type { FunctionCall, JsonObject } from '@thole/core';
import { oneLine } from './plain-text.ts';

const ARGUMENTS = 100;
const RESULT = 100;

/** A tool's call and what it answered, on one line. */
export function toolLine({ name, args }: Pick<FunctionCall, 'name' | 'args'>, response: JsonObject): string {
  const given = Object.entries(args).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `  [${name}(${oneLine(given.join(', '), ARGUMENTS)}) → ${oneLine(shortly(response), RESULT)}]`;
}

// Lists as what they hold how often, everything else as it is.
function shortly(response: JsonObject): string {
  if (typeof response['error'] === 'string') return `error: ${response['error']}`;
  const members = Object.entries(response).map(([key, value]) =>
    Array.isArray(value) ? counted(value.length, key) : `${key}: ${JSON.stringify(value)}`,
  );
  return members.join(', ') || 'done';
}

function counted(count: number, things: string): string {
  return `${count} ${count === 1 ? things.replace(/ies$/, 'y').replace(/s$/, '') : things}`;
}
