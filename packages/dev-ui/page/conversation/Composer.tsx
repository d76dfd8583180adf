import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icons.tsx';
import { IconButton } from '../components/IconButton.tsx';
import { isWriting } from '../components/is-writing.ts';
import { isComposing } from '../keys/is-composing.ts';
import { keyName } from '../keys/key-name.ts';
import { appName, selectedEventId } from '../state/location.ts';
import { draft, draftKey, writeDraft } from '../state/drafts.ts';
import { isRunning } from '../state/run.ts';
import { stop } from '../state/run-actions.ts';
import { isTouch } from '../state/screen.ts';
import { isBeginning, sendMessage } from '../state/send-message.ts';
import { status } from '../state/session.ts';
import { AttachedFiles } from './AttachedFiles.tsx';
import { attachFiles } from './attach-files.ts';

/** The message box. Its text survives a reload and returns after a failed send. */
export function Composer() {
  const { text, files } = draft.value;
  const running = isRunning.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [isDropping, setIsDropping] = useState(false);
  /** True after Enter while the page does not know the apps. */
  const [isWaiting, setIsWaiting] = useState(false);
  const isDisabled = appName.value === undefined || status.value.kind === 'missing' || isBeginning.value;

  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight + 2, innerHeight * 0.4)}px`;
  }, [text]);
  useEffect(() => {
    // A new session may open late, while the user writes in another field.
    if (isWriting()) return;
    // Not while an event is selected: letters are then keyboard shortcuts.
    if (matchMedia('(pointer: fine)').matches && selectedEventId.peek() === undefined) field.current?.focus();
  }, [draftKey.value]);

  useEffect(() => {
    if (!isWaiting || isDisabled) return;
    setIsWaiting(false);
    submit();
  }, [isWaiting, isDisabled]);

  function submit(): void {
    if (appName.value === undefined) return setIsWaiting(true);
    if (running || isDisabled || (text.trim() === '' && files.length === 0)) return;
    writeDraft({ text: '', files: [] });
    void sendMessage({ text, files });
  }

  return (
    <form
      class="composer"
      data-dropping={isDropping ? '' : undefined}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        submit();
      }}
      onDragOver={(drag) => {
        if (!drag.dataTransfer?.types.includes('Files')) return;
        drag.preventDefault();
        setIsDropping(true);
      }}
      onDragLeave={() => setIsDropping(false)}
      onDrop={(drop) => {
        setIsDropping(false);
        if (!drop.dataTransfer?.files.length) return;
        drop.preventDefault();
        void attachFiles([...drop.dataTransfer.files]);
      }}
    >
      <AttachedFiles files={files} remove={(part) => writeDraft({ files: files.filter((each) => each !== part) })} />
      <textarea
        ref={field}
        id="message"
        aria-label="Message"
        placeholder={isDropping ? 'Drop to attach' : 'Write a message'}
        rows={1}
        value={text}
        dir="auto"
        onInput={(input) => {
          setIsWaiting(false);
          writeDraft({ text: input.currentTarget.value });
        }}
        onPaste={(paste) => {
          const pasted = [...(paste.clipboardData?.files ?? [])];
          if (pasted.length === 0) return;
          paste.preventDefault();
          void attachFiles(pasted);
        }}
        onKeyDown={(key) => {
          if (key.key !== 'Enter' || isComposing(key) || key.shiftKey) return;
          // On a phone, Enter is the only key for a new line.
          if (!matchMedia('(pointer: fine)').matches && !key.metaKey && !key.ctrlKey) return;
          key.preventDefault();
          submit();
        }}
      />
      <div class="composer-foot">
        <input
          ref={picker}
          type="file"
          multiple
          class="visually-hidden"
          tabIndex={-1}
          aria-hidden="true"
          onChange={(change) => {
            // Copies the files first: clearing the field also clears its list of files.
            void attachFiles([...(change.currentTarget.files ?? [])]);
            change.currentTarget.value = '';
          }}
        />
        <IconButton label="Attach files" icon="attach" onClick={() => picker.current?.click()} />
        <span class="composer-hint muted" title={isTouch.value ? undefined : '⏎ also sends, ⇧⏎ starts a new line'}>
          {!isTouch.value && <kbd>{keyName('⌘⏎')}</kbd>}
        </span>
        {running ? (
          <button type="button" class="button" onClick={() => void stop()}>
            <Icon name="stop" size={14} /> Stop
          </button>
        ) : (
          <button
            type="submit"
            class="button button-primary"
            disabled={isDisabled || (text.trim() === '' && files.length === 0)}
          >
            Send
          </button>
        )}
      </div>
    </form>
  );
}
