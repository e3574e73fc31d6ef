import { Alert, UnstyledButton } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { PANES } from '../shared/link.ts';
import { useApp } from './context.tsx';
import { Footer } from './Footer.tsx';
import { ChatPane } from './features/chat/ChatPane.tsx';
import { ForgetSheet } from './features/forget/ForgetSheet.tsx';
import { MemoryPane } from './features/memory/MemoryPane.tsx';
import { NotesPane } from './features/notes/NotesPane.tsx';
import { SettingsPane } from './features/settings/SettingsPane.tsx';
import { SetupPane } from './features/setup/SetupPane.tsx';
import { TracesPane } from './features/traces/TracesPane.tsx';
import { placeOf, takeLink } from './link.ts';
import { Notices } from './Notices.tsx';
import { openPalette, Palette } from './Palette.tsx';
import { paneIcons } from './ui/paneIcons.ts';
import { ReadState } from './ui/ReadState.tsx';

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest('input:not([type="radio"], [type="checkbox"]), textarea, [contenteditable]') !== null;

/** The rail of panes on the left, the selected pane, and the footer. */
export function Shell() {
  const { t } = useTranslation();
  const place = useApp((state) => state.place);
  const go = useApp((state) => state.go);
  const needsSetup = useApp((state) => state.loaded && state.vaults.length === 0 && !state.setupDismissed);
  const loaded = useApp((state) => state.loaded);
  const loadError = useApp((state) => state.loadError);
  const load = useApp((state) => state.load);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const pane = event.altKey ? PANES[Number(/^Digit([1-5])$/.exec(event.code)?.[1]) - 1] : undefined;
      if (pane) {
        event.preventDefault();
        go({ pane });
      } else if (event.altKey && event.code === 'KeyN') {
        event.preventDefault();
        go(event.shiftKey ? { pane: 'chat', memoryless: true } : { pane: 'chat', draft: '' });
      } else if (event.key === '/' && !isTyping(event.target)) {
        const field = document.querySelector<HTMLElement>('[data-pane-search]');
        if (!field) return;
        event.preventDefault();
        field.focus();
      } else if (event.key === 'Escape' && isTyping(event.target)) (event.target as HTMLElement).blur();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [go]);

  useEffect(() => {
    const follow = () => {
      const link = takeLink();
      if (link?.to === 'palette') openPalette();
      else if (link) go(placeOf(link));
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [go]);

  const cutOff = useApp((state) => state.connection === 'refused');
  const showsSetup = needsSetup && place.pane === 'chat';
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {t('nav.skip')}
      </a>
      <nav className="rail" aria-label={t('nav.main')}>
        {PANES.map((pane) => {
          const Icon = paneIcons[pane];
          return (
            <div key={pane} className={pane === 'settings' ? 'rail-last' : undefined}>
              <UnstyledButton
                className="rail-item"
                aria-current={place.pane === pane ? 'page' : undefined}
                onClick={() => go({ pane })}
              >
                <Icon size={20} aria-hidden />
                {t(`nav.${pane}`)}
              </UnstyledButton>
            </div>
          );
        })}
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {cutOff && (
          <Alert color="red" title={t('refused.title')} radius={0}>
            {t('refused.again')}
          </Alert>
        )}
        {loaded && <Notices />}
        {!loaded && !cutOff && (
          <ReadState
            read={{
              state: loadError === '' ? 'loading' : 'failed',
              message: loadError,
              again: () => void load(),
            }}
          />
        )}
        {loaded && showsSetup && <SetupPane />}
        {loaded && !showsSetup && place.pane === 'chat' && <ChatPane />}
        {loaded && place.pane === 'memory' && <MemoryPane />}
        {loaded && place.pane === 'notes' && <NotesPane />}
        {loaded && place.pane === 'traces' && <TracesPane />}
        {loaded && place.pane === 'settings' && <SettingsPane key={place.query} />}
      </main>
      <Footer />
      <Palette />
      <ForgetSheet />
    </div>
  );
}
