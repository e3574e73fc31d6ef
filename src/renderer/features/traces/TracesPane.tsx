import { Button, UnstyledButton } from '@mantine/core';
import { IconBookmark, IconFileText, IconMessage } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Trace, TraceItem } from '../../../shared/contract/traces.ts';
import { paneStore, useApp, useAttempt, useLanguage } from '../../context.tsx';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { useNow } from '../../ui/useNow.ts';
import { createTracesStore } from './tracesStore.ts';

const useTracesStore = paneStore(createTracesStore);

/** Every retrieval: what was given, what was set aside, and why. */
export function TracesPane() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const store = useTracesStore();
  const now = useNow();
  const revision = useApp((state) => state.conversationsRevision);
  const { rows, selected, loading } = useStore(store);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => store.getState().refresh());
  }, [attempt, store, revision]);

  if (rows.length === 0) {
    return (
      <div className="columns">
        <div className="turns empty">{!loading && <p className="muted">{t('traces.empty')}</p>}</div>
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
      {selected && <Ledger trace={selected} />}
    </div>
  );
}

function Ledger({ trace }: { trace: Trace }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const go = useApp((state) => state.go);
  const { conversationId } = trace;
  const given = trace.items.filter((item) => item.verdict === 'injected');
  const aside = trace.items.filter((item) => item.verdict !== 'injected');
  const milliseconds = (value: number) => `${formatScore(value, language)} ms`;
  return (
    <section className="main scroll" aria-label={trace.question}>
      <div className="settings">
        <h1>{trace.question}</h1>
        <p className="muted">
          {t('traces.tokens', { count: trace.tokens })} · {milliseconds(trace.timingsMs.total ?? 0)}
        </p>
        {conversationId !== null && (
          <Button variant="default" size="xs" onClick={() => go({ pane: 'chat', conversationId })}>
            {t('chat.openConversation')}
          </Button>
        )}
        {trace.skipped.map(({ source, because }) => (
          <p key={source}>{t('traces.skipped', { source, because })}</p>
        ))}
        <h2>{t('traces.givenTitle')}</h2>
        {given.length === 0 && <p className="muted">{t('traces.nothingGiven')}</p>}
        {given.map((item) => (
          <LedgerRow key={item.itemId} item={item} />
        ))}
        <h2>{t('traces.asideTitle')}</h2>
        {aside.length === 0 && <p className="muted">{t('traces.nothingAside')}</p>}
        {aside.map((item) => (
          <LedgerRow key={item.itemId} item={item} />
        ))}
        <details>
          <summary>{t('traces.timings')}</summary>
          <dl className="facts-list">
            {Object.entries(trace.timingsMs).map(([stage, value]) => (
              <div key={stage} className="timing">
                <dt>{stage}</dt>
                <dd>{milliseconds(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </section>
  );
}

const ICONS = { note: IconFileText, turn: IconMessage, fact: IconBookmark, summary: IconMessage };

function LedgerRow({ item }: { item: TraceItem }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const Icon = ICONS[item.kind];
  const place = item.heading.filter((part) => part !== item.title).join(' › ');
  return (
    <div className="ledger-row">
      <span className="number">{formatScore(item.score, language)}</span>
      <Icon size={15} color={`var(--kind-${item.kind})`} aria-label={t(`traces.kind.${item.kind}`)} />
      <div>
        <div>
          {item.title || t(`traces.kind.${item.kind}`)}
          {place !== '' && <span className="muted"> › {place}</span>}
        </div>
        {item.path !== null && <div className="path">{item.path}</div>}
      </div>
      <div className="muted">
        {t(`traces.verdict.${item.verdict}`)}
        <Reason item={item} />
      </div>
    </div>
  );
}

/** The figure that decided, in the window's language; the core's own words hold it. */
function Reason({ item }: { item: TraceItem }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const turn = /since turn (\d+)/.exec(item.because)?.[1];
  if (item.verdict === 'in-window' && turn !== undefined) return <div>{t('traces.sinceTurn', { turn })}</div>;
  const minimum = /minimum of ([\d.]+)/.exec(item.because)?.[1];
  if (item.verdict === 'below-minimum' && minimum !== undefined)
    return <div>{t('traces.minimum', { minimum: formatScore(Number(minimum), language) })}</div>;
  if (item.because.startsWith('identity')) return <div>{t('traces.identity')}</div>;
  return null;
}
