import type { Event } from '@thole/core';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { formatDuration } from '../components/format.ts';
import { Icon } from '../components/icons.tsx';
import { ResultForm } from '../requests/ResultForm.tsx';
import { isRunning } from '../state/run.ts';
import { inspect } from '../state/open-inspector.ts';
import type { ToolUse } from './entries.ts';
import type { Fold } from './open-folds.ts';
import { ResponseParts } from './ResponseParts.tsx';

/** A tool call as one line with name, time and result. It opens to arguments and answer. */
export function ToolLine({ tool, event, fold }: { tool: ToolUse; event: Event; fold: Fold }) {
  const { call, response, tookMs } = tool;
  const [open, setOpen] = fold;
  const state = stateOf(tool, isRunning.value);
  const error = tool.state === 'failed' ? response?.response['error'] : undefined;
  return (
    <div class="tool" data-state={state.kind}>
      <details class="fold" open={open} onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
        <summary>
          <Icon name="right" size={12} />
          <Icon name="tool" size={14} />
          <span class="tool-name">{call.name}</span>
          <span class="tool-arguments">{open ? '' : summarizeArgs(call.args)}</span>
          {tookMs !== undefined && state.kind !== 'waiting' && (
            <span class="num tool-time">{formatDuration(tookMs)}</span>
          )}
          <span class="tool-state">
            {state.kind === 'done' && <Icon name="check" size={14} />}
            {state.kind === 'failed' && <Icon name="warn" size={14} />}
            <span class={state.kind === 'done' ? 'visually-hidden' : undefined}>{state.word}</span>
          </span>
        </summary>
        {open && (
          <div class="tool-inside">
            <JsonTree value={call.brokenArgs ?? call.args} label="arguments" open={2} />
            {response && (
              <JsonTree value={response.response} label={error === undefined ? 'result' : 'error'} open={2} />
            )}
            <p class="tool-links">
              {tool.answerEvent && (
                <button type="button" class="link" onClick={() => inspect(tool.answerEvent!.id, 'event')}>
                  event of the answer
                </button>
              )}
              <button type="button" class="link" onClick={() => inspect(event.id, 'trace')}>
                trace
              </button>
            </p>
          </div>
        )}
      </details>
      {response?.parts && <ResponseParts parts={response.parts} name={call.name} />}
      {typeof error === 'string' && !open && <p class="tool-error">{error}</p>}
      {tool.request?.isOpen && <ResultForm recorded={tool.request} />}
    </div>
  );
}

function stateOf(tool: ToolUse, running: boolean): { kind: string; word: string } {
  if (tool.state === 'waiting') return { kind: 'waiting', word: 'waits for an answer' };
  if (tool.state === 'open') return running ? { kind: 'open', word: 'running' } : { kind: 'lost', word: 'no answer' };
  return tool.state === 'failed' ? { kind: 'failed', word: 'failed' } : { kind: 'done', word: 'done' };
}

/** Returns the arguments on one line, cut after 200 characters. */
function summarizeArgs(args: object): string {
  const text = Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
