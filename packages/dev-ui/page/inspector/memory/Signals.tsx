import { reasonsOf } from './signal-reasons.ts';

/** Explains why a memory was found, strongest reason first, with each signal's part of the score. */
export function Signals({ explanation }: { explanation: { readonly [signal: string]: number } }) {
  return (
    <dl class="signals" aria-label="Why this was found">
      {reasonsOf(explanation).map(({ text, value }) => (
        <div key={text}>
          <dt>{text}</dt>
          <dd class="num">{Number(value.toPrecision(3))}</dd>
        </div>
      ))}
    </dl>
  );
}
