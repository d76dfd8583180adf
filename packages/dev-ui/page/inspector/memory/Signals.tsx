import { reasonsOf } from './signal-reasons.ts';

/** Tells in words why a memory was found, strongest reason first, with what each added to the score. */
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
