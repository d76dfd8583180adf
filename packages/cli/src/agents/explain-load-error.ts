import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TholeError } from '@thole/core';
import { errorText } from '@thole/server';

/**
 * Returns an error with the file and line of a failed import, the change to make, and the causes of the original error. The
 * original error is the cause.
 */
export function explainLoadError(error: unknown, p: { file: string; root: string; cwd: string }): TholeError {
  const { code, message, name, stack } = (error ?? {}) as { [key: string]: unknown };
  const [first, ...causes] = errorText(error).split(CAUSED_BY);
  // Network errors of Node may have a code and no message.
  const text = typeof message === 'string' && message !== '' ? message.split('\n')[0]! : first!;
  // For some syntax errors, Node does not say which of the imported modules has them.
  const unknownPlace = displayPath(p.file, p.cwd) + (name === 'SyntaxError' ? ' or a module that it imports' : '');
  const place = placeIn(typeof stack === 'string' ? stack : '', p) ?? unknownPlace;
  const sentence = [`${place}: ${adviceFor(String(code), text, String(name))}`, ...causes].join(CAUSED_BY);
  const details = { containsCauses: true };
  return new TholeError(TholeError.is(error) ? error.code : 'INVALID_INPUT', sentence, { cause: error, details });
}

/** Node reports a decorator with the same message as other wrong characters. */
const DECORATORS =
  ' If it is a decorator (@name), remove it, or compile the agent and pass the JavaScript: Node does not support decorators.';

const CAUSED_BY = ' < caused by: ';

function adviceFor(code: string, text: string, name: string): string {
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return `${withFullStop(text)} Agents run without a build, so enums, namespaces and parameter properties are not supported. Replace them, or compile the agent and pass the JavaScript.`;
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      return `Invalid TypeScript: ${withFullStop(text)}`;
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return `${withFullStop(text)} Packages below node_modules must be JavaScript.`;
    case 'ERR_IMPORT_ATTRIBUTE_MISSING':
      return `${withFullStop(withoutVersion(text))} Write it like this: import data from './data.json' with { type: 'json' }.`;
    case 'ERR_MODULE_NOT_FOUND':
      return text.startsWith('Cannot find package')
        ? `${withFullStop(text)} Run npm install in the agent's folder.`
        : withFullStop(text);
    default:
      return /does not provide an export named/.test(text)
        ? `${withFullStop(text)} If it is a type, import it with "import type".`
        : name === 'SyntaxError'
          ? `Invalid syntax: ${withFullStop(text)}${text === 'Invalid or unexpected token' ? DECORATORS : ''}`
          : withFullStop(text);
  }
}

/**
 * Returns the first place in the user's own code. For a syntax error, Node writes the place on the first line of the
 * stack.
 */
function placeIn(stack: string, p: { root: string; cwd: string }): string | undefined {
  for (const { 1: url, 2: line, index } of stack.matchAll(
    /(file:\/\/[^\s?]+?)(?:\?v=\d+)?:(\d+)(?::\d+)?(?=[\s)]|$)/g,
  )) {
    const file = fileURLToPath(url!);
    const isOwn = file.startsWith(p.root + sep) && !file.includes('node_modules');
    if (isOwn || index === 0) return `${displayPath(file, p.cwd)}:${line}`;
  }
  // CommonJS modules have a path instead of an address.
  const [, path, line] = /^(.+):(\d+)\n/.exec(stack) ?? [];
  return path !== undefined && isAbsolute(path) ? `${displayPath(path, p.cwd)}:${line}` : undefined;
}

function displayPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}

/** Removes the number that the loader adds to the address of a module. */
function withoutVersion(text: string): string {
  return text.replaceAll(/\?v=\d+(?=")/g, '');
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
