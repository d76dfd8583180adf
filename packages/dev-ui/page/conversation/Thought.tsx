import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../markdown/Markdown.tsx';

/** What the model thought, folded away. */
export function Thought({ text, writing }: { text: string; writing?: boolean | undefined }) {
  return (
    <details class="fold thought">
      <summary>
        <Icon name="right" size={12} />
        {writing ? 'Thinking …' : 'Thoughts'}
      </summary>
      <Markdown text={text} streaming={writing} />
    </details>
  );
}
