import { Button } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useApp, useLanguage, useRead } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import type { MemoryStore } from './memoryStore.ts';
import type { FactActions } from './useFactActions.ts';

interface Line {
  key: string;
  /** When it was said, or until when. */
  at: number;
  content: string;
  /** Another fact, which can be shown; null for an earlier wording. */
  fact: Fact | null;
}

/** What a fact said before, what it took the place of and what took its place, by date. */
export function FactHistory({
  fact,
  store,
  actions,
}: {
  fact: Fact;
  store: MemoryStore;
  actions: FactActions;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const revision = useApp((state) => state.factsRevision);
  const [found, setFound] = useState<{ facts: Fact[]; mergedAt: number | null }>({
    facts: [],
    mergedAt: null,
  });
  const { id } = fact;
  useRead(
    useCallback(async () => setFound(await store.getState().history(id)), [store, id]),
    revision,
  );
  const lines = linesOf(found.facts, id);
  if (lines.length === 0) return null;
  return (
    <>
      <h2>{t('memory.history')}</h2>
      <ul className="fact-history">
        {lines.map(({ key, at, content, fact: other }) => (
          <li key={key}>
            {other ? (
              <button type="button" className="wording" onClick={() => void store.getState().show(other.id)}>
                {content}
              </button>
            ) : (
              content
            )}{' '}
            <span className="muted">
              {other
                ? t('memory.historyOther', {
                    status: t(`memory.status.${other.status}`),
                    when: formatWhen(at, now, language),
                  })
                : t('memory.historyUntil', { when: formatWhen(at, now, language) })}
            </span>
          </li>
        ))}
      </ul>
      {found.mergedAt !== null && (
        <Button size="xs" variant="default" onClick={() => actions.unmerge(id)}>
          {t('memory.unmerge')}
        </Button>
      )}
    </>
  );
}

function linesOf(facts: readonly Fact[], id: FactId): Line[] {
  return facts
    .flatMap((fact): Line[] => [
      ...fact.revisions.map(({ content, until }, place) => ({
        key: `${fact.id} ${place}`,
        at: until,
        content,
        fact: null,
      })),
      ...(fact.id === id || fact.status === 'forgotten'
        ? []
        : [{ key: fact.id, at: fact.createdAt, content: fact.content, fact }]),
    ])
    .sort((one, other) => one.at - other.at);
}
