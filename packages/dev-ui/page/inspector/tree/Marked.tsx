/** A text with every match of the query marked. */
export function Marked({ text, query }: { text: string; query?: string | undefined }) {
  const wanted = query?.trim().toLowerCase();
  if (!wanted) return <>{text}</>;
  const lower = text.toLowerCase();
  const pieces = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0 && pieces.length < 200; at = lower.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
  }
  return (
    <>
      {pieces}
      {text.slice(from)}
    </>
  );
}
