import DOMPurify from 'dompurify';
import { memo } from 'preact/compat';
import { useMemo } from 'preact/hooks';
import { CodeBlock } from './CodeBlock.tsx';
import { createBlockReader, toBlocks } from './to-blocks.ts';
import './markdown.css';

// Allows links that open in a new tab. Configured once, because each configuration takes longer than a short text.
DOMPurify.setConfig({ ADD_ATTR: ['target'] });

/** A text of a model or a person, as Markdown. */
export function Markdown({ text, streaming }: { text: string; streaming?: boolean | undefined }) {
  const readBlocks = useMemo(createBlockReader, []);
  const blocks = useMemo(() => (streaming ? readBlocks(text) : toBlocks(text)), [text, streaming]);
  return (
    <div class="markdown" dir="auto" data-streaming={streaming ? '' : undefined}>
      {blocks.map((block, i) =>
        block.kind === 'code' ? (
          <CodeBlock
            key={block.key}
            code={block.code}
            language={block.language}
            writing={streaming && i === blocks.length - 1}
          />
        ) : (
          <Html key={block.key} html={block.html} />
        ),
      )}
    </div>
  );
}

/** Sanitizes the output of `toBlocks` as a second check: it is safe already. */
const Html = memo(function Html({ html }: { html: string }) {
  const clean = useMemo(() => DOMPurify.sanitize(html), [html]);
  return <div dangerouslySetInnerHTML={{ __html: clean }} />;
});
