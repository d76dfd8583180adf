import { Icon } from '../components/icons.tsx';
import { Markdown } from '../markdown/Markdown.tsx';

/** The model's thoughts, collapsed. */
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
