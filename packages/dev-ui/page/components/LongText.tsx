import type { ComponentChildren } from 'preact';
import { formatCount } from './format.ts';

/** Maximum number of characters that are drawn at first: a browser needs seconds to draw some millions. */
const MAX_LENGTH = 100_000;

interface Props {
  text: string;
  /** True if the whole text is shown, and a function that changes this. */
  whole: readonly [isWhole: boolean, setIsWhole: (isWhole: boolean) => void];
  /** Draws the text, or its start. */
  children: (shown: string) => ComponentChildren;
}

/** A text. If it is very long, only its start is drawn until the user requests the rest. */
export function LongText({ text, whole: [isWhole, setIsWhole], children }: Props) {
  if (text.length <= MAX_LENGTH) return <>{children(text)}</>;
  return (
    <>
      {children(isWhole ? text : startOf(text))}
      <p class="long-text muted">
        {!isWhole && `The start of ${formatCount(text.length)} characters. `}
        <button type="button" class="link" data-grows aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show only the start' : 'Show all'}
        </button>
      </p>
    </>
  );
}

/** Returns the complete lines at the start. A longer line is cut. */
function startOf(text: string): string {
  const end = text.lastIndexOf('\n', MAX_LENGTH);
  return text.slice(0, end > 0 ? end : MAX_LENGTH);
}
