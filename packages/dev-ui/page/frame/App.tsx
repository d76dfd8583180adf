import { Conversation } from '../conversation/Conversation.tsx';
import { LiveRegion } from '../conversation/LiveRegion.tsx';
import { Inspector } from '../inspector/Inspector.tsx';
import { KeysDialog } from '../keys/KeysDialog.tsx';
import { Palette } from '../palette/Palette.tsx';
import { SessionList } from '../sessions/SessionList.tsx';
import { inspectorOpen, inspectorShown, isNarrow, isPhone, sessionsOpen, timelineShown } from '../state/screen.ts';
import { hasEvents } from '../state/session.ts';
import { Timeline } from '../timeline/Timeline.tsx';
import { Drawer } from './Drawer.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { Toasts } from './Toasts.tsx';
import { TopBar } from './TopBar.tsx';
import './frame.css';

/** The whole page. */
export function App() {
  const phone = isPhone.value;
  const narrow = isNarrow.value;
  return (
    <div class="frame">
      <TopBar />
      <OfflineBanner />
      <div class="columns" data-inspector={!narrow && inspectorShown.value ? '' : undefined}>
        {!phone && (
          <nav class="side" aria-label="Sessions">
            <SessionList />
          </nav>
        )}
        <main class="middle" aria-label="Conversation">
          <Conversation />
        </main>
        {!narrow && inspectorShown.value && (
          <aside class="inspector-side" aria-label="Inspector">
            <Inspector />
          </aside>
        )}
      </div>
      {timelineShown.value && hasEvents.value && (
        <section class="timeline-side" aria-label="Timeline">
          <Timeline />
        </section>
      )}
      {phone && (
        <Drawer open={sessionsOpen} side="left" label="Sessions">
          <SessionList />
        </Drawer>
      )}
      {narrow && (
        <Drawer open={inspectorOpen} side="right" label="Inspector">
          <Inspector />
        </Drawer>
      )}
      <Palette />
      <KeysDialog />
      <Toasts />
      <LiveRegion />
    </div>
  );
}
