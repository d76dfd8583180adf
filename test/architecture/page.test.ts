import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allows } from './arrows.ts';
import { cyclesIn } from './cycles.ts';
import { bareCodeOf, importsOf, packageOf, targetOf } from './imports.ts';
import { filesBelow } from './workspace.ts';

const page = 'packages/dev-ui/page/';
const files = filesBelow('packages/dev-ui/page').filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
const mayImport = [
  ...['@thole/client', '@thole/core', '@ariakit/react', '@preact/signals', 'dompurify', 'highlight.js', 'marked'],
  ...['preact', 'virtua'],
];

describe('The page in packages/dev-ui/page', () => {
  it('imports only its own files and the listed packages', () => {
    const wrong = files
      .flatMap(importsOf)
      // The text of a string may look like an import.
      .filter(({ specifier }) => /^[@./\w-]+$/.test(specifier))
      .filter((each) => !targetOf(each)?.startsWith(page) && !allows(mayImport, packageOf(each.specifier)));
    expect(wrong.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  it('takes time and timers from state/clock.ts only', () => {
    const clock = /\bDate\.now\b|\bperformance\.now\b|\bset(?:Timeout|Interval)\b|\bMath\.random\b|\brandomUUID\b/;
    const wrong = files.filter((file) => file !== `${page}state/clock.ts` && clock.test(bareCodeOf(file)));
    expect(wrong).toEqual([]);
  });

  it('names components in PascalCase and other files in kebab-case', () => {
    const odd = files.filter((file) => {
      const name = basename(file);
      if (name === 'main.tsx' || name === 'icons.tsx') return false;
      return name.endsWith('.tsx') ? !/^[A-Z][A-Za-z]+\.tsx$/.test(name) : !/^[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(name);
    });
    const vague = files.filter((file) => /\/(?:utils?|helpers?|types?|common|misc|shared)\.tsx?$/.test(file));
    expect([...odd, ...vague]).toEqual([]);
  });

  it('exports a component with the name of its file', () => {
    const components = files.filter((file) => /\/[A-Z]\w+\.tsx$/.test(file));
    const wrong = components.filter(
      (file) => !new RegExp(`export (?:function|const) ${basename(file, '.tsx')}\\b`).test(bareCodeOf(file)),
    );
    expect(components.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(cyclesIn(files)).toEqual([]);
  });
});
