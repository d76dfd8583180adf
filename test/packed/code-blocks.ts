import { filesBelow, read } from '../architecture/workspace.ts';

export interface CodeBlock {
  /** The document, and the line at which the block starts. */
  file: string;
  line: number;
  code: string;
  /** Expected output. Set only for the first program of a document. */
  output?: string;
  /** Reason why the block is not checked, from ```` ```ts no-check <reason> ````. */
  unchecked?: string;
}

const fence =
  /^(<!-- first program -->\n\s*)?```(ts|typescript)( no-check)?([^\n]*)\n([\s\S]*?)^```$(?:\s*?\n```text\n([\s\S]*?)^```$)?/gm;

/** Returns the TypeScript blocks of every README and of all files below docs/. */
export function codeBlocks(): CodeBlock[] {
  const stored = new Set(filesBelow(''));
  const roots = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'REVIEW.md'];
  const documents = [...roots, ...['docs', 'packages', 'apps'].flatMap(filesBelow)].filter(
    (file) => file.endsWith('.md') && !file.endsWith('CHANGELOG.md') && stored.has(file),
  );
  return documents.flatMap((file) => {
    const text = read(file);
    return [...text.matchAll(fence)].map(({ 1: first, 3: unchecked, 4: reason, 5: code, 6: output, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      code: code!,
      ...(first && { output: output ?? '' }),
      ...(unchecked && { unchecked: reason!.trim() }),
    }));
  });
}
