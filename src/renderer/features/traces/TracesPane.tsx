import { UnstyledButton } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { TurnId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt, useLanguage, useRead } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { ReadState } from '../../ui/ReadState.tsx';
import { useNow } from '../../ui/useNow.ts';
import { Ledger } from './Ledger.tsx';
import { createTracesStore } from './tracesStore.ts';

const useTracesStore = paneStore(createTracesStore);
const READ_EVERY_MS = 500;

/** Every answered question: what was given, what was set aside, and why; what was sent. */
export function TracesPane() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const store = useTracesStore();
  const now = useNow();
  const turnId = useApp((state) => state.place.turnId);
  const revision = useThrottledValue(
    useApp((state) => state.conversationsRevision),
    READ_EVERY_MS,
  );
  const { rows, selected } = useStore(store);

  const read = useRead(store.getState().refresh, revision);

  useEffect(() => {
    if (turnId !== undefined) void attempt(() => store.getState().selectTurn(turnId as TurnId));
  }, [attempt, store, turnId]);

  if (read.state !== 'ready') {
    return (
      <div className="columns">
        <ReadState read={read} />
      </div>
    );
  }
  if (rows.length === 0) {
    return (
      <div className="columns">
        <div className="turns empty">
          <p className="muted">{t('traces.empty')}</p>
        </div>
      </div>
    );
  }
  return (
    <div className="columns">
      <nav className="side" aria-label={t('nav.traces')}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
        <div className="scroll trace-list" onKeyDown={(event) => moveInList(event, '[data-trace]')}>
          {rows.map((row) => (
            <UnstyledButton
              key={row.id}
              data-trace
              className="trace-row"
              data-selected={row.id === selected?.id}
              aria-current={row.id === selected?.id ? 'true' : undefined}
              onClick={() => void attempt(() => store.getState().select(row.id))}
            >
              <span className="cell">{row.question}</span>
              <span className="muted">
                {t('traces.given', { count: row.memoriesInjected + row.notesInjected })} ·{' '}
                {formatWhen(row.createdAt, now, language)}
              </span>
            </UnstyledButton>
          ))}
        </div>
      </nav>
      {selected && <Ledger trace={selected} store={store} />}
    </div>
  );
}
