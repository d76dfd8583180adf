import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TholeError } from '@thole/core';

/** An error of importing an agent as a sentence that names the file, the line, and what to write instead; the cause is kept. */
export function explainLoadError(error: unknown, p: { file: string; root: string; cwd: string }): TholeError {
  const { code, message, name, stack } = (error ?? {}) as { [key: string]: unknown };
  const text = typeof message === 'string' ? message.split('\n')[0]! : String(error);
  const place = placeIn(typeof stack === 'string' ? stack : '', p) ?? shown(p.file, p.cwd);
  const sentence = `${place}: ${adviceFor(String(code), text, String(name))}`;
  return new TholeError(TholeError.is(error) ? error.code : 'INVALID_INPUT', sentence, { cause: error });
}

function adviceFor(code: string, text: string, name: string): string {
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return `${ended(text)} Agents run without a build, so write only types that can be taken away: no enums, namespaces or parameter properties; or compile the agent and give the JavaScript.`;
    case 'ERR_INVALID_TYPESCRIPT_SYNTAX':
      return `this is no TypeScript: ${ended(text)}`;
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return `${ended(text)} Packages below node_modules must be JavaScript.`;
    case 'ERR_MODULE_NOT_FOUND':
      return text.startsWith('Cannot find package')
        ? `${ended(text)} Is it installed? Try npm install in the agent's folder.`
        : ended(text);
    default:
      return /does not provide an export named/.test(text)
        ? `${ended(text)} If it is a type, import it with "import type".`
        : name === 'SyntaxError'
          ? `this cannot be read: ${ended(text)}`
          : ended(text);
  }
}

/** The first place in the user's own code. Node puts the place of what it cannot read on the first line. */
function placeIn(stack: string, p: { root: string; cwd: string }): string | undefined {
  for (const { 1: url, 2: line, index } of stack.matchAll(/(file:\/\/[^\s?:)]+)(?:\?v=\d+)?:(\d+)/g)) {
    const file = fileURLToPath(url!);
    const own = file.startsWith(p.root + sep) && !file.includes('node_modules');
    if (own || index === 0) return `${shown(file, p.cwd)}:${line}`;
  }
  return undefined;
}

function shown(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
