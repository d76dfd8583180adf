import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../components/CopyButton.tsx';

/** Longer code is not highlighted, because that takes too long. */
const LONGEST = 50_000;

interface Props {
  code: string;
  language?: string | undefined;
  /** True while the code is incomplete: it is highlighted when it is complete. */
  writing?: boolean | undefined;
}

/** Highlighted code with a copy button. The highlighter is loaded when it is needed. */
export function CodeBlock({ code, language = '', writing }: Props) {
  const [coloured, setColoured] = useState<{ code: string; html: string } | undefined>(undefined);
  useEffect(() => {
    if (writing || language === '' || code.length > LONGEST) return undefined;
    let wanted = true;
    void import('./highlight.ts').then(
      ({ highlight }) => {
        const html = highlight(code, language);
        if (wanted && html !== undefined) setColoured({ code, html });
      },
      () => {}, // Plain, then.
    );
    return () => {
      wanted = false;
    };
  }, [code, language, writing]);
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* Scrolls sideways, so the keyboard has to reach it. */}
      <pre tabIndex={0} aria-label={language ? `Code in ${language}` : 'Code'}>
        {coloured?.code === code ? <code dangerouslySetInnerHTML={{ __html: coloured.html }} /> : <code>{code}</code>}
      </pre>
    </figure>
  );
}
