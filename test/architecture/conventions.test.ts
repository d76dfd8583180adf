import { expect, it } from 'vitest';
import { bareCodeOf, codeOf } from './imports.ts';
import { packages, sourcesOf } from './workspace.ts';

const sources = packages.flatMap(({ folder }) => sourcesOf(folder));

it('allows undefined for every optional member of an exported interface (contract 41)', () => {
  const strict = sources.flatMap((file) =>
    exportedInterfaces(codeOf(file))
      .flatMap(optionalMembers)
      .filter(({ type }) => !/\| undefined$|^unknown$/.test(type) || /=>/.test(outermost(type)))
      .map(({ name }) => `${file}: ${name}`),
  );
  expect(strict, 'write `name?: Type | undefined`, a function type in parentheses').toEqual([]);
});

it('allows undefined for every member of an object of optional members (contract 41)', () => {
  const strict = sources.flatMap((file) =>
    exportedInterfaces(codeOf(file))
      .flatMap(optionalMembers)
      .filter(({ type }) => /(?<!\w)Partial</.test(type))
      .map(({ name, type }) => `${file}: ${name}: ${type}`),
  );
  // Stores of others receive marks and would no longer compile. Members of EventInit allow undefined already.
  expect(
    strict.filter((each) => !/Partial<(SessionMarks|EventInit)>/.test(each)),
    'write `Optional<Type>`',
  ).toEqual([]);
});

it('declares nothing with `using`, which Node 22 cannot run in sources', () => {
  const declaring = sources.filter((file) => /\busing \w+ =/.test(codeOf(file)));
  expect(declaring, 'write `try { … } finally { … }`').toEqual([]);
});

it('ends every name of a duration in Ms (contract 41)', () => {
  const duration = /(?<!\w)(\w*(?:[tT]imeout|[dD]elay|[dD]uration|[iI]nterval|[tT]tl|[wW]ait|[pP]atience))\??: number/g;
  const withoutUnit = sources.flatMap((file) =>
    [...codeOf(file).matchAll(duration)].map(([, name]) => `${file}: ${name}`),
  );
  // A number of invocations, with ADK's name.
  const counts = ['packages/core/src/app/compaction.ts: interval'];
  // ADK's names, so that parameters of its toolset can be used unchanged.
  const params = 'packages/mcp/src/toolset/connection/connection-params.ts';
  const ofAdk = [`${params}: timeout`, `${params}: sseReadTimeout`];
  expect(withoutUnit.filter((each) => ![...counts, ...ofAdk].includes(each))).toEqual([]);
});

it('uses instanceof only for classes of the language (contract 42)', () => {
  const uses = sources.flatMap((file) =>
    [...bareCodeOf(file).matchAll(/\binstanceof\s+([\w.]+)/g)].map(([, name]) => [file, name!] as const),
  );
  const language = ['Error', 'Uint8Array', 'Int32Array', 'Float32Array', 'Float64Array'];
  const wrong = uses.filter(([, name]) => !language.includes(name));
  expect(wrong, 'check a brand or the shape: another copy of the package may have created the object').toEqual([]);
});

it('has no module state: neither variables nor collections that are changed (contract 42)', () => {
  const moduleState = sources.flatMap((file) => {
    const code = bareCodeOf(file);
    const variables = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map(([, name]) => name!);
    const collections = [...code.matchAll(/^(?:export )?const (\w+)[^=\n]* = (?:new (?:Weak)?(?:Map|Set)\b|\[|\{)/gm)]
      .map(([, name]) => name!)
      .filter((name) =>
        new RegExp(
          `\\b${name}(?:\\.(?:set|add|delete|clear|push|splice|pop|shift)\\(|(?:\\[[^\\]]*\\]|\\.\\w+) =[^=>])`,
        ).test(code),
      );
    return [...variables, ...collections].map((name) => `${file}: ${name}`);
  });
  expect(moduleState, 'keep the state in an instance that its owner closes').toEqual([]);
});

function exportedInterfaces(code: string): string[] {
  return [...code.matchAll(/^export interface \w[\s\S]*?\n\}/gm)].map(([body]) => body);
}

/**
 * Returns the optional members of an interface with their types. A type ends at the first semicolon outside of brackets. A
 * parameter, which ends in a comma, is not a member.
 */
function optionalMembers(body: string): { name: string; type: string }[] {
  return [...body.matchAll(/^\s+(?:readonly )?(\w+)\?: /gm)].flatMap(({ 0: start, 1: name, index }) => {
    let depth = 0;
    for (let end = index + start.length; end < body.length && depth >= 0; end++) {
      const character = body[end]!;
      if ('{(['.includes(character)) depth++;
      if ('})]'.includes(character)) depth--;
      if (depth === 0 && character === ',') return [];
      if (depth === 0 && character === ';')
        return [{ name: name!, type: body.slice(index + start.length, end).trim() }];
    }
    return [];
  });
}

/** Returns a type without the text in brackets. If it contains `=>`, its `| undefined` belongs to the result of the function. */
function outermost(type: string): string {
  let rest = type;
  for (let before = ''; before !== rest;)
    [before, rest] = [rest, rest.replaceAll(/\([^(){}[\]]*\)|\{[^(){}[\]]*\}|\[[^(){}[\]]*\]/g, '')];
  return rest;
}
