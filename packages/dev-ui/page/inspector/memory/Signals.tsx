/** What gave how much to a score, by the service's names, most first. */
export function Signals({ explanation }: { explanation: { readonly [signal: string]: number } }) {
  const signals = Object.entries(explanation).toSorted(([, a], [, b]) => b - a);
  return (
    <dl class="signals" aria-label="What gave how much to the score">
      {signals.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{Number(value.toPrecision(3))}</dd>
        </div>
      ))}
    </dl>
  );
}
