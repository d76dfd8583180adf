import type { Event } from '@thole/core';
import { LongText } from '../components/LongText.tsx';
import { Markdown } from '../markdown/Markdown.tsx';
import { CodeBlock } from '../markdown/CodeBlock.tsx';
import { RequestCard } from '../requests/RequestCard.tsx';
import type { Block } from './entries.ts';
import { EventError } from './EventError.tsx';
import { FileView } from './FileView.tsx';
import { foldOf } from './open-folds.ts';
import { Thought } from './Thought.tsx';
import { ToolLine } from './ToolLine.tsx';
import { GivenAnswer } from './GivenAnswer.tsx';

/** One block of a row. `place` is its place in the row. */
export function BlockView(props: { block: Block; event: Event; place: number; writing?: boolean | undefined }) {
  const { block, event, place, writing } = props;
  switch (block.kind) {
    case 'text':
      if (event.author !== 'user' && writing) return <Markdown text={block.text} streaming />;
      return (
        <LongText text={block.text} whole={foldOf(event.id, place)}>
          {(text) =>
            event.author === 'user' ? (
              <p class="said" dir="auto">
                {text}
              </p>
            ) : (
              <Markdown text={text} />
            )
          }
        </LongText>
      );
    case 'thought':
      return <Thought text={block.text} fold={foldOf(event.id, place)} writing={writing} />;
    case 'tool':
      return <ToolLine tool={block.tool} event={event} fold={foldOf(event.id, place)} />;
    case 'request':
      return <RequestCard call={block.call} recorded={block.recorded} />;
    case 'file':
      return <FileView part={block.part} />;
    case 'code':
      return <CodeBlock code={block.code} language={block.language} />;
    case 'answer':
      return <GivenAnswer response={block.response} fold={foldOf(event.id, place)} />;
    case 'error':
      return <EventError event={event} />;
    case 'note':
      return <p class="note">{block.text}</p>;
  }
}
