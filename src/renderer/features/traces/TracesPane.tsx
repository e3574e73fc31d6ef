import { Button, UnstyledButton } from '@mantine/core';
import { IconBookmark, IconFileText, IconMessage } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { SkippedSource } from '../../../shared/contract/reasons.ts';
import type { Trace, TraceItem } from '../../../shared/contract/traces.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt, useLanguage, useRead } from '../../context.tsx';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { moveInList } from '../../ui/moveInList.ts';
import { ReadState } from '../../ui/ReadState.tsx';
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
  const turnId = useApp((state) => state.place.turnId);
  const revision = useApp((state) => state.conversationsRevision);
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
  const stages = ['embed', 'search', 'excerpts', 'select', 'total'] as const;
  const stageName = (stage: string) => {
    const known = stages.find((one) => one === stage);
    return known ? t(`traces.stages.${known}`) : stage;
  };
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
        {trace.skipped.map((skipped) => (
          <Skipped key={skipped.source} skipped={skipped} />
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
                <dt>{stageName(stage)}</dt>
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

/** The figures that decided, and when the item may come back. */
function Reason({ item }: { item: TraceItem }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const depth = useApp((state) => state.settings.contextWindowDepth);
  const { code, figures } = item.reason;
  const number = (name: string) => Number(figures[name]);
  const score = (name: string) => formatScore(number(name), language);
  const text = (): string | null => {
    switch (code) {
      case 'in-prompt':
        return t('traces.sinceTurn', { turn: figures.turn, back: number('turn') + depth });
      case 'below-minimum':
        return t('traces.minimum', { minimum: score('minimum') });
      case 'like-selected':
        return t('traces.likeOther', { similarity: score('similarity') });
      case 'like-prompt':
        return t('traces.likeTurn', { similarity: score('similarity'), turn: figures.turn });
      case 'only-asks':
        return t('traces.onlyAsks');
      case 'taught-fact':
        return t('traces.learnt');
      case 'over-limit':
        return t('traces.better', { count: number('limit') });
      case 'over-budget':
        return t('traces.room', { tokens: figures.tokens, left: figures.left, budget: figures.budget });
      case 'identity':
      case 'pinned':
      case 'named':
        return t(`traces.${code}`);
      default:
        return null;
    }
  };
  const said = text();
  return said === null ? null : <div>{said}</div>;
}

/** Why a source was left out. */
function Skipped({ skipped: { source, reason } }: { skipped: SkippedSource }) {
  const { t } = useTranslation();
  const known = ['vectors', 'facts', 'notes', 'turns'] as const;
  const name = known.find((one) => one === source);
  const why =
    reason.code === 'late'
      ? t('traces.late')
      : reason.code === 'not-ready'
        ? t('traces.notReady')
        : t('traces.failed');
  return <p>{t('traces.skipped', { source: name ? t(`traces.sources.${name}`) : source, reason: why })}</p>;
}
