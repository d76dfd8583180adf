import { useState } from 'preact/hooks';
import { Icon } from '../components/icons.tsx';
import { LongText } from '../components/LongText.tsx';
import { Markdown } from '../markdown/Markdown.tsx';
import type { Fold } from './open-folds.ts';

/** The model's thoughts, collapsed. */
export function Thought(props: { text: string; fold: Fold; writing?: boolean | undefined }) {
  const { text, writing } = props;
  const whole = useState(false);
  const [open, setOpen] = props.fold;
  return (
    <details class="fold thought" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <summary>
        <Icon name="right" size={12} />
        {writing ? 'Thinking …' : 'Thoughts'}
      </summary>
      {writing ? (
        <Markdown text={text} streaming />
      ) : (
        <LongText text={text} whole={whole}>
          {(shown) => <Markdown text={shown} />}
        </LongText>
      )}
    </details>
  );
}
