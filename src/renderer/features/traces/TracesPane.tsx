import { Button, UnstyledButton } from '@mantine/core';
import { IconBookmark, IconFileText, IconMessage } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
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
        {trace.skipped.map(({ source, because }) => (
          <Skipped key={source} source={source} because={because} />
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

/** The figure that decided and when the item may come back, in the window's language; the core's own words hold the figures. */
function Reason({ item }: { item: TraceItem }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const depth = useApp((state) => state.settings.contextWindowDepth);
  const { because, verdict } = item;
  const turn = /since turn (\d+)/.exec(because)?.[1];
  if (verdict === 'in-window' && turn !== undefined) {
    return <div>{t('traces.sinceTurn', { turn, back: Number(turn) + depth })}</div>;
  }
  const minimum = /minimum of ([\d.]+)/.exec(because)?.[1];
  if (verdict === 'below-minimum' && minimum !== undefined)
    return <div>{t('traces.minimum', { minimum: formatScore(Number(minimum), language) })}</div>;
  const alike = /^([\d.]+) like (?:what turn (\d+) holds)?/.exec(because);
  if (verdict === 'similar' && alike) {
    const similarity = formatScore(Number(alike[1]), language);
    return (
      <div>
        {alike[2] === undefined
          ? t('traces.likeOther', { similarity })
          : t('traces.likeTurn', { similarity, turn: alike[2] })}
      </div>
    );
  }
  if (verdict === 'similar')
    return <div>{t(because.endsWith('learnt from it') ? 'traces.learnt' : 'traces.onlyAsks')}</div>;
  const better = /^(\d+) better/.exec(because)?.[1];
  if (verdict === 'over-limit' && better !== undefined)
    return <div>{t('traces.better', { count: Number(better) })}</div>;
  const room = /^(\d+) tokens, (-?\d+) of (\d+) left/.exec(because);
  if (verdict === 'over-budget' && room)
    return <div>{t('traces.room', { tokens: room[1], left: room[2], budget: room[3] })}</div>;
  const standing = /^(identity|pinned|named)/.exec(because)?.[1];
  if (standing !== undefined) return <div>{t(`traces.${standing as 'identity' | 'pinned' | 'named'}`)}</div>;
  return null;
}

/** Why a source was left out, in the window's language. */
function Skipped({ source, because }: { source: string; because: string }) {
  const { t } = useTranslation();
  const known = ['vectors', 'facts', 'notes', 'turns'] as const;
  const name = known.find((one) => one === source);
  const reason = because.startsWith('late')
    ? t('traces.late')
    : because.startsWith('not ready')
      ? t('traces.notReady')
      : t('traces.failed');
  return (
    <p>
      {t('traces.skipped', { source: name ? t(`traces.sources.${name}`) : source, reason })}{' '}
      <span className="muted">({because})</span>
    </p>
  );
}
