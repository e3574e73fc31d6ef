import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppStore } from './appStore.ts';
import { useAttempt, useSession } from './context.tsx';

/** How long "kept" is shown before the window closes. */
const KEPT_MS = 900;

/** Resolves once the core can be reached. What is entered earlier waits for it. */
function whenLoaded(store: AppStore): Promise<void> {
  return new Promise((resolve) => {
    if (store.getState().loaded) resolve();
    const stop = store.subscribe(({ loaded }) => {
      if (!loaded) return;
      stop();
      resolve();
    });
  });
}

/**
 * Quick capture: Enter saves a thought. It is stored as a message of the channel "quick", and facts are learnt from it as from any other.
 */
export function Capture() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { api, store } = useSession();
  const { client } = api;
  const [text, setText] = useState('');
  const [learnt, setLearnt] = useState<string[] | null>(null);

  const keep = () => {
    const kept = text.trim();
    if (kept === '') return;
    void attempt(async () => {
      await whenLoaded(store);
      for await (const event of await client.chat.runTurn({ text: kept, channel: 'quick' })) {
        // Now it is stored.
        if (event.type === 'accepted') {
          setText('');
          setLearnt(event.turn.learnt.map(({ content }) => content));
        }
      }
      setTimeout(() => window.close(), KEPT_MS);
    });
  };

  return (
    <main className="capture">
      <Textarea
        autoFocus
        autosize
        minRows={3}
        maxRows={8}
        label={t('capture.label')}
        placeholder={t('capture.placeholder')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setLearnt(null);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') window.close();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          keep();
        }}
      />
      <div className="capture-foot">
        <span role="status" className="muted">
          {learnt !== null &&
            (learnt.length === 0
              ? t('capture.kept')
              : t('chat.learntAs.learnt', { content: learnt.join(' · ') }))}
        </span>
        <Button size="xs" disabled={text.trim() === ''} onClick={keep}>
          {t('capture.keep')}
        </Button>
      </div>
    </main>
  );
}
