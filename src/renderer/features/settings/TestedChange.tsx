import { Button, Loader } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ReplayChanges, type SelfTest, TESTED_SETTINGS } from '../../../shared/contract/traces.ts';
import type { Settings } from '../../../shared/settings.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SelfTestResult } from './SelfTestResult.tsx';

/** A change that waits for the user to see what it does to their marks. */
interface Pending {
  patch: Partial<Settings>;
  changes: ReplayChanges;
}

/**
 * Changes settings; one of retrieval only once its effect on the user's marks was shown, if there are any.
 * @param apply never rejects
 */
export function useTestedChange(apply: (patch: Partial<Settings>) => void) {
  const { client } = useSession().api;
  const attempt = useAttempt();
  const [pending, setPending] = useState<Pending | null>(null);
  const set = useCallback(
    (patch: Partial<Settings>) => {
      const changes = testedIn(patch);
      if (!changes) return apply(patch);
      void attempt(async () => {
        const { questions } = await client.traces.marked();
        if (questions === 0) apply(patch);
        else setPending({ patch, changes });
      });
    },
    [apply, attempt, client],
  );
  const dialog = pending && (
    <TestedChangeDialog
      changes={pending.changes}
      onDone={(isWanted) => {
        if (isWanted) apply(pending.patch);
        setPending(null);
      }}
    />
  );
  return { set, dialog };
}

/** Null where nothing is changed that a self-test tells the effect of. */
function testedIn(patch: Partial<Settings>): ReplayChanges | null {
  const entries = TESTED_SETTINGS.flatMap((key) => (patch[key] === undefined ? [] : [[key, patch[key]]]));
  return entries.length === 0 ? null : (Object.fromEntries(entries) as ReplayChanges);
}

function TestedChangeDialog({
  changes,
  onDone,
}: {
  changes: ReplayChanges;
  onDone: (isWanted: boolean) => void;
}) {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const attempt = useAttempt();
  const [result, setResult] = useState<SelfTest | null>(null);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    void attempt(async () => {
      try {
        setResult(await client.traces.selfTest(changes, { signal: controller.signal }));
      } catch (error) {
        if (!controller.signal.aborted) throw error;
      } finally {
        setOver(true);
      }
    });
    return () => controller.abort();
  }, [attempt, client, changes]);
  return (
    <Dialog title={t('settings.selfTest.changeTitle')} onClose={() => onDone(false)}>
      <div role="status">
        {result ? (
          <SelfTestResult result={result} />
        ) : isOver ? (
          <p className="muted">{t('settings.selfTest.failed')}</p>
        ) : (
          <p className="muted">
            <Loader size={14} /> {t('settings.selfTest.running')}
          </p>
        )}
      </div>
      <div className="dialog-actions">
        <Button variant="default" onClick={() => onDone(false)}>
          {t('settings.selfTest.keep')}
        </Button>
        <Button onClick={() => onDone(true)}>{t('settings.selfTest.apply')}</Button>
      </div>
    </Dialog>
  );
}
