import { Button } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Untouched as Left, StillFound } from '../../../shared/contract/forget.ts';
import { useApp, useAttempt, useSession } from '../../context.tsx';
import { MarkedText } from '../../ui/MarkedText.tsx';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { useDelayed } from '../../ui/useDelayed.ts';
import { Untouched } from './Untouched.tsx';

/** An act of forgetting. */
export interface Done {
  count: number;
  /** Names the act, so that it can be undone. */
  at: number;
  /** It was erased at once. */
  erased: boolean;
  /** Titles or summaries are part of it: they are not listed among what was recently deleted. */
  onlyByUndo: boolean;
  /** The words that a check searches for; null if a place or a time was forgotten. */
  topic: string | null;
  untouched: Left;
}

interface Props {
  done: Done;
  onUndo: () => void;
  onClose: () => void;
}

interface Checked {
  items: StillFound[];
  untouched: Left;
}

/** What was forgotten, with its undo, and the check that nothing of it is found. */
export function Forgotten({ done, onUndo, onClose }: Props) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const days = useApp((state) => state.settings.keepDeletedDays);
  const [checked, setChecked] = useState<Checked | null>(null);
  const [busy, setBusy] = useState(false);
  const isChecking = useDelayed(busy);
  const acts = useRef<HTMLDivElement>(null);
  useEffect(() => acts.current?.querySelector('button')?.focus(), []);
  const { topic, count, erased, onlyByUndo } = done;
  const check = async (of: string) => {
    setBusy(true);
    await attempt(async () => setChecked(await client.forget.check({ topic: of })));
    setBusy(false);
  };
  return (
    <div className="scroll">
      <div className="forget-done">
        <p role="status">
          <strong>{t(erased ? 'forget.erased' : 'forget.forgotten', { count })}</strong>{' '}
          {erased ? t('forget.erasedHint') : t('forget.forgottenHint', { count: days })}
          {!erased && onlyByUndo && ` ${t('forget.onlyByUndo')}`}
        </p>
        <div className="forget-acts" ref={acts}>
          {topic !== null && (
            <Button loading={isChecking} onClick={() => void check(topic)}>
              {t('forget.check')}
            </Button>
          )}
          {!erased && (
            <Button variant="default" onClick={onUndo}>
              {t('common.undo')}
            </Button>
          )}
          <Button variant={topic === null ? 'filled' : 'default'} onClick={onClose}>
            {t('forget.close')}
          </Button>
        </div>
        <div role="status" aria-live="polite">
          {checked && <Result checked={checked} topic={topic ?? ''} />}
        </div>
        <h2 className="section-title">{t('forget.remains')}</h2>
      </div>
      <Untouched untouched={checked?.untouched ?? done.untouched} canErase={erased} />
    </div>
  );
}

function Result({ checked: { items }, topic }: { checked: Checked; topic: string }) {
  const { t } = useTranslation();
  return (
    <>
      <p className="forget-result" data-found={items.length > 0}>
        {items.length === 0 && <IconCircleCheck size={20} aria-hidden />}
        <strong>{t('forget.found', { count: items.length })}</strong>
        <span className="muted">
          {t(items.length === 0 ? 'forget.foundNone' : 'forget.foundSome', { topic })}
        </span>
      </p>
      <ul className="forget-found">
        {items.map(({ id, kind, excerpt, marks, conversationId }) => (
          <li key={id} className="passage">
            <div className="muted">{t(`traces.kind.${kind}`)}</div>
            <MarkedText text={excerpt} marks={marks} />
            {conversationId !== null && (
              <div>
                <OpenConversation conversationId={conversationId} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
