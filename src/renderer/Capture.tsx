import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useAttempt, useSession } from './context.tsx';

/** How long "kept" is shown before the window closes. */
const KEPT_MS = 900;

/** Quick capture: a thought, kept with Enter. It is stored as a message of the channel "quick", and learnt from as any other. */
export function Capture() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const ready = useApp((state) => state.loaded);
  const [text, setText] = useState('');
  const [learnt, setLearnt] = useState<string[] | null>(null);

  const keep = () =>
    void attempt(async () => {
      const kept = text.trim();
      if (kept === '' || !ready) return;
      for await (const event of await client.chat.runTurn({ text: kept, channel: 'quick' })) {
        // From here on it is on the disk.
        if (event.type === 'accepted') {
          setText('');
          setLearnt(event.turn.learnt.map(({ content }) => content));
        }
      }
      setTimeout(() => window.close(), KEPT_MS);
    });

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
            (learnt.length === 0 ? t('capture.kept') : t('chat.learnt', { content: learnt.join(' · ') }))}
        </span>
        <Button size="xs" disabled={!ready || text.trim() === ''} onClick={keep}>
          {t('capture.keep')}
        </Button>
      </div>
    </main>
  );
}
