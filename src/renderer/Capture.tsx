import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppStore } from './appStore.ts';
import { useAttempt, useSession } from './context.tsx';
import { draftInChat } from './link.ts';

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
 * Quick capture: Enter saves a thought. It is stored as a turn of the channel "quick" without an answer, and facts are learnt from it.
 * One that asks to forget something is not stored: it goes on in the chat, where there is room for the plan.
 */
export function Capture() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { api, store } = useSession();
  const { client } = api;
  const [text, setText] = useState('');
  const [learnt, setLearnt] = useState<string[] | null>(null);
  const [asksToForget, setAsksToForget] = useState(false);

  const keep = (asIs = false) => {
    const kept = text.trim();
    if (kept === '') return;
    void attempt(async () => {
      await whenLoaded(store);
      if (!asIs && (await client.forget.read({ message: kept })).asks !== 'nothing') {
        setAsksToForget(true);
        return;
      }
      setAsksToForget(false);
      const turn = await client.chat.capture({ text: kept });
      setText('');
      setLearnt(turn.learnt.map(({ content }) => content));
      setTimeout(() => window.close(), KEPT_MS);
    });
  };

  const enter = () => (asksToForget ? draftInChat(text.trim()) : keep());

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
          setAsksToForget(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') window.close();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          enter();
        }}
      />
      <div className="capture-foot">
        <span role="status" className="muted">
          {asksToForget && t('capture.asksToForget')}
          {learnt !== null &&
            (learnt.length === 0
              ? t('capture.kept')
              : t('chat.learntAs.learnt', { content: learnt.join(' · ') }))}
        </span>
        {asksToForget && (
          <Button size="xs" variant="default" onClick={() => keep(true)}>
            {t('capture.keepAsIs')}
          </Button>
        )}
        <Button size="xs" disabled={text.trim() === ''} onClick={enter}>
          {t(asksToForget ? 'capture.forget' : 'capture.keep')}
        </Button>
      </div>
    </main>
  );
}
