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
  const documents = [
    'README.md',
    'AGENTS.md',
    'CONTRIBUTING.md',
    'REVIEW.md',
    ...['docs', 'packages', 'apps'].flatMap(filesBelow),
  ];
  return documents
    .filter((file) => file.endsWith('.md') && !file.endsWith('CHANGELOG.md') && filesBelow('').includes(file))
    .flatMap((file) => {
      const text = read(file);
      return [...text.matchAll(fence)].map(([, first, , unchecked, reason, code, output], index) => {
        const start = [...text.matchAll(fence)][index]!.index;
        const line = text.slice(0, start).split('\n').length;
        return {
          file,
          line,
          code: code!,
          ...(first && { output: output ?? '' }),
          ...(unchecked && { unchecked: reason!.trim() }),
        };
      });
    });
}
