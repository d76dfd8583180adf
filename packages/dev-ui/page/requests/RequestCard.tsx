import type { FunctionCall } from '@thole/core';
import type { RecordedInterrupt } from '@thole/core/kit';
import { requestKindOf } from '@thole/core/kit';
import { useEffect, useRef } from 'preact/hooks';
import { focusIfLost } from '../components/focus-if-lost.ts';
import { Icon } from '../components/icons.tsx';
import { JsonTree } from '../inspector/JsonTree.tsx';
import { inspect } from '../state/open-inspector.ts';
import { currentSeconds } from '../state/now.ts';
import { isTouch } from '../state/screen.ts';
import { Confirmation } from './Confirmation.tsx';
import { DueTime } from './DueTime.tsx';
import { InputForm } from './InputForm.tsx';
import { draftOf } from './request-drafts.ts';
import { requestState } from './request-state.ts';
import { kindLabels, stateWord } from './request-words.ts';
import { SignIn } from './SignIn.tsx';
import './requests.css';

/** A request for an answer from outside the run: its state and data, and a form while it is open. */
export function RequestCard(props: { call: FunctionCall; recorded: RecordedInterrupt | undefined }) {
  const { call, recorded } = props;
  const kind = recorded?.interrupt.kind ?? requestKindOf(call.name) ?? 'longRunning';
  const { message, toolName } = recorded?.interrupt ?? {};
  const state = requestState(recorded, currentSeconds());
  const isReady = state === 'open' && recorded && draftOf(recorded.interrupt.id).answer !== undefined;
  const shownState = isReady ? 'ready' : state;
  const label = kindLabels[kind];
  const card = useRef<HTMLElement>(null);
  const stateBefore = useRef(shownState);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (stateBefore.current === shownState) return;
    stateBefore.current = shownState;
    // The form of the earlier state is removed.
    if (hadFocus.current) focusIfLost(() => nextField(card.current));
  }, [shownState]);
  return (
    <section
      ref={card}
      class="request"
      onFocusIn={() => (hadFocus.current = true)}
      data-state={shownState}
      aria-label={toolName === undefined ? label : `${label} for ${toolName}`}
    >
      <header class="request-head">
        <Icon name={kind === 'timer' ? 'clock' : 'request'} size={14} />
        <h2>{label}</h2>
        {toolName !== undefined && <code class="mono">{toolName}</code>}
        <span class="request-state">{isReady ? 'ready to send' : stateWord(kind, state)}</span>
      </header>
      {message !== undefined && message !== '' && (
        <p class="request-message" dir="auto">
          {message}
        </p>
      )}
      {recorded && <Body recorded={recorded} isOpen={state === 'open'} />}
      {recorded && <DueTime interrupt={recorded.interrupt} state={state} />}
      {recorded?.answer && (
        <p class="tool-links">
          <button type="button" class="link" onClick={() => inspect(recorded.answer!.event.id, 'event')}>
            event of the answer
          </button>
        </p>
      )}
    </section>
  );
}

/** Returns a field or button of this request, of another open request, or the message box. */
function nextField(card: HTMLElement | null): HTMLElement | null {
  const forms = [card, ...document.querySelectorAll<HTMLElement>('.request[data-state="open"], .open-requests')];
  const fields = 'form :is(input, select, textarea, button):enabled, .button-row button:enabled';
  const found = forms.flatMap((form) => form?.querySelector<HTMLElement>(fields) ?? []);
  return found[0] ?? document.querySelector(isTouch.peek() ? '.entries' : '#message');
}

function Body({ recorded, isOpen }: { recorded: RecordedInterrupt; isOpen: boolean }) {
  const { kind, payload } = recorded.interrupt;
  if (kind === 'confirmation') return <Confirmation recorded={recorded} isOpen={isOpen} />;
  if (kind === 'credential') return isOpen ? <SignIn recorded={recorded} /> : null;
  if (kind !== 'input') return null;
  return (
    <>
      {payload !== undefined && <JsonTree value={payload} label="data" open={isOpen ? 2 : 0} />}
      {isOpen && <InputForm recorded={recorded} />}
    </>
  );
}
