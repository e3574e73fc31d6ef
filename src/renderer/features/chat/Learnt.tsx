import { Button, TextInput } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { memo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Turn } from '../../../shared/contract/chat.ts';
import { useApp, useAttempt } from '../../context.tsx';
import type { ChatStore } from './chatState.ts';

type LearntFact = Turn['learnt'][number];

interface Props {
  turn: Turn;
  store: ChatStore;
}

/** What the turn taught, in the words of the turn. */
export const Learnt = memo(function Learnt({ turn, store }: Props) {
  return turn.learnt.map((fact) => <LearntLine key={fact.id} fact={fact} turn={turn} store={store} />);
});

/** A fact can be edited and undone while it still says what the turn taught; otherwise it can be opened. */
function LearntLine({ fact, turn, store }: Props & { fact: LearntFact }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const go = useApp((state) => state.go);
  const [isEditing, setEditing] = useState(false);
  const line = useRef<HTMLDivElement>(null);
  const { id, content, state, act, former } = fact;
  const end = (next: string | null) => {
    setEditing(false);
    // The button that began it is in the page again a frame later.
    requestAnimationFrame(() => line.current?.querySelector('button')?.focus());
    if (next !== null && next !== content) void attempt(() => store.getState().editLearnt(turn.id, id, next));
  };
  return (
    <div ref={line} className="setting-name learnt">
      <IconBookmark size={15} className="kind-icon" color="var(--kind-fact)" aria-hidden />
      {isEditing ? (
        <LearntEdit content={content} onEnd={end} />
      ) : (
        <span>
          {t(`chat.learntAs.${former === null && act !== 'alias' ? 'learnt' : act}`, { content, former })}
        </span>
      )}
      {state === 'current' && !isEditing && (
        <>
          <Button variant="subtle" size="compact-xs" onClick={() => setEditing(true)}>
            {t('chat.editLearnt')}
          </Button>
          <Button
            variant="light"
            size="compact-xs"
            onClick={() => void attempt(() => store.getState().unlearn(turn.id, id))}
          >
            {t('chat.undoLearnt')}
          </Button>
        </>
      )}
      {state !== 'current' && (
        <>
          <span className="muted">
            {t(state === 'expired' ? 'chat.learntExpired' : 'chat.learntChanged')}
          </span>
          <Button variant="subtle" size="compact-xs" onClick={() => go({ pane: 'memory', factId: id })}>
            {t('chat.openFact')}
          </Button>
        </>
      )}
    </div>
  );
}

/** Enter keeps the new wording; Escape, or leaving the field, keeps the old one. */
function LearntEdit({ content, onEnd }: { content: string; onEnd: (next: string | null) => void }) {
  const { t } = useTranslation();
  const [next, setNext] = useState(content);
  const ended = useRef(false);
  const end = (value: string | null) => {
    // The field loses the focus when it goes, which would end it a second time.
    if (ended.current) return;
    ended.current = true;
    onEnd(value);
  };
  return (
    <TextInput
      size="xs"
      flex={1}
      autoFocus
      aria-label={t('memory.edit')}
      maxLength={2_000}
      value={next}
      onChange={(event) => setNext(event.currentTarget.value)}
      onBlur={() => end(null)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) end(next.trim() || null);
        if (event.key === 'Escape') end(null);
      }}
    />
  );
}
