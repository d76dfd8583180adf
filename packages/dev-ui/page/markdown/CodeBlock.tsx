import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';

/** Maximum length of highlighted code. Highlighting longer code takes too long. */
const MAX_LENGTH = 50_000;

interface Props {
  code: string;
  language?: string | undefined;
  /** True while the code is incomplete. It is highlighted when it is complete. */
  writing?: boolean | undefined;
}

/** Highlighted code with a copy button. The highlighter is loaded when it is needed. */
export function CodeBlock({ code, language = '', writing }: Props) {
  const [highlighted, setHighlighted] = useState<{ code: string; html: string } | undefined>(undefined);
  useEffect(() => {
    if (writing || language === '' || code.length > MAX_LENGTH) return undefined;
    let isWanted = true;
    void import('./highlight.ts').then(
      ({ highlight }) => {
        const html = highlight(code, language);
        if (isWanted && html !== undefined) setHighlighted({ code, html });
      },
      () => {}, // Without the highlighter, the code is shown as plain text.
    );
    return () => {
      isWanted = false;
    };
  }, [code, language, writing]);
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* Scrolls horizontally, so it needs keyboard focus. */}
      <pre tabIndex={0} aria-label={language ? `Code in ${language}` : 'Code'}>
        {highlighted?.code === code ? (
          <code dangerouslySetInnerHTML={{ __html: highlighted.html }} />
        ) : (
          <code>{code}</code>
        )}
      </pre>
    </figure>
  );
}
