import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../parts/CopyButton.tsx';

/** Longer than this, colours cost more than they help. */
const LONGEST = 50_000;

interface Props {
  code: string;
  language?: string | undefined;
  /** It is not whole yet: colours come when it is. */
  writing?: boolean | undefined;
}

/** Code with colours and a button to copy it. The colours come from a part of the page that is fetched when it is needed. */
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
