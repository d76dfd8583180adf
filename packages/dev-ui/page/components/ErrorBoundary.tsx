import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { ErrorNote } from './ErrorNote.tsx';

interface Props {
  children: ComponentChildren;
  /** The content is drawn again when this changes. */
  resetKey?: string | undefined;
}

/** Content that is replaced by an error if it cannot be drawn, so that the rest of the page continues to work. */
export function ErrorBoundary({ children, resetKey }: Props) {
  const [error, retry] = useErrorBoundary((thrown) => reportError(thrown));
  useEffect(retry, [resetKey]);
  if (error === undefined) return <>{children}</>;
  const reason = error instanceof Error ? error.message : String(error);
  return <ErrorNote error={new Error(`The page cannot show this part: ${reason}`)} retry={retry} />;
}
