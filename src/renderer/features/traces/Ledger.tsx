import { IconBookmark, IconFileText, IconMessage, IconPaperclip, IconStack2 } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { SkippedSource, VerdictReason } from '../../../shared/contract/reasons.ts';
import type { Trace, TraceItem } from '../../../shared/contract/traces.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { formatScore } from '../../ui/format.ts';
import { ItemMarks } from '../../ui/ItemMarks.tsx';
import { OpenConversation } from '../../ui/OpenConversation.tsx';
import { placeLine } from '../../ui/place.ts';
import { describeReason } from './describe.ts';
import { ReplayPanel } from './ReplayPanel.tsx';
import { SentPrompt } from './SentPrompt.tsx';
import type { TracesStore } from './tracesStore.ts';

const STAGES = ['embed', 'search', 'excerpts', 'select', 'total'] as const;

/** One retrieval: what was given, what was set aside and why, and what the model was sent. */
export function Ledger({ trace, store }: { trace: Trace; store: TracesStore }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { conversationId, turnId } = trace;
  const given = trace.items.filter((item) => item.verdict === 'injected');
  const aside = trace.items.filter((item) => item.verdict !== 'injected');
  const stageName = (stage: string) => {
    const known = STAGES.find((one) => one === stage);
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
        {conversationId !== null && <OpenConversation conversationId={conversationId} turnId={turnId} />}
        {trace.settings?.followsUp && <p>{t('traces.followsUp')}</p>}
        {trace.skipped.map((skipped) => (
          <p key={skipped.source}>{describeSkipped(t, skipped)}</p>
        ))}
        <h2>{t('traces.givenTitle')}</h2>
        {given.length === 0 && (
          <p className="muted">{t(trace.skipped.length > 0 ? 'traces.notGiven' : 'traces.nothingGiven')}</p>
        )}
        {given.map((item) => (
          <LedgerRow key={item.itemId} item={item} turnId={turnId} store={store} />
        ))}
        <h2>{t('traces.asideTitle')}</h2>
        {aside.length === 0 && <p className="muted">{t('traces.nothingAside')}</p>}
        {aside.map((item) => (
          <LedgerRow key={item.itemId} item={item} turnId={turnId} store={store} />
        ))}
        {!trace.whole && <p className="muted">{t('traces.thinned')}</p>}
        <ReplayPanel key={trace.id} trace={trace} store={store} />
        {trace.prompt && <SentPrompt prompt={trace.prompt} cut={trace.promptCut} />}
        <ScoreParts items={trace.items} />
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

const PARTS = [
  'words',
  'maxSim',
  'vectors',
  'time',
  'links',
  'folder',
  'beside',
  'conversation',
  'speaker',
  'asks',
] as const;

/** What each relevance is made of, folded. */
function ScoreParts({ items }: { items: readonly TraceItem[] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const known = items.filter(({ parts }) => parts !== null);
  if (known.length === 0) return null;
  const nameOf = (part: string) => {
    const one = PARTS.find((name) => name === part);
    return one ? t(`traces.parts.${one}`) : part;
  };
  return (
    <details>
      <summary>{t('traces.partsTitle')}</summary>
      <p className="muted">{t('traces.partsHint')}</p>
      <table className="layout-table">
        <tbody>
          {known.map(({ kind, itemId, title, heading, score, parts }) => (
            <tr key={`${kind} ${itemId}`}>
              <td>{placeLine({ title, heading }) || t(`traces.kind.${kind}`)}</td>
              <td className="muted">
                {Object.entries(parts ?? {})
                  .map(([part, value]) => `${nameOf(part)} ${formatScore(value, language)}`)
                  .join(' · ')}
              </td>
              <td className="number muted">{formatScore(score, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const ICONS = {
  note: IconFileText,
  turn: IconMessage,
  fact: IconBookmark,
  summary: IconStack2,
  attachment: IconPaperclip,
};

interface RowProps {
  item: TraceItem;
  /** Of the turn that asked; null if it is not known. */
  turnId: TurnId | null;
  store: TracesStore;
}

function LedgerRow({ item, turnId, store }: RowProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const depth = useApp((state) => state.settings.contextWindowDepth);
  const Icon = ICONS[item.kind];
  const place = item.heading.filter((part) => part !== item.title).join(' › ');
  const again = describeReturn(t, item.reason, depth);
  return (
    <div className="ledger-row">
      <span className="number">{formatScore(item.score, language)}</span>
      <Icon size={15} color={`var(--kind-${item.kind})`} aria-label={t(`traces.kind.${item.kind}`)} />
      <div>
        <div>
          {item.title || t(`traces.kind.${item.kind}`)}
          {place !== '' && <span className="muted"> › {place}</span>}
        </div>
        {item.says !== null && <div className="says">{item.says}</div>}
        {item.path !== null && <div className="path">{item.path}</div>}
      </div>
      <div className="muted">
        {describeReason(t, item.reason, language)}
        {again !== null && <div>{again}</div>}
        {item.reason.figures.as !== undefined && <div>{t('traces.respelled', item.reason.figures)}</div>}
        {item.reason.figures.was !== undefined && (
          <div>
            {t('traces.lowered', {
              was: formatScore(Number(item.reason.figures.was), language),
              alike: formatScore(Number(item.reason.figures.alike), language),
            })}
          </div>
        )}
      </div>
      {turnId !== null && (
        <ItemMarks
          name={placeLine(item) || t(`traces.kind.${item.kind}`)}
          mark={item.mark}
          onMark={(mark) => store.getState().mark(turnId, item, mark)}
        />
      )}
    </div>
  );
}

/** When an item that is held back is eligible again; null if that cannot be told. */
function describeReturn(t: TFunction, { code, figures }: VerdictReason, depth: number): string | null {
  if (code === 'in-prompt') return t('traces.again.in-prompt', { back: Number(figures.turn) + depth });
  return code === 'like-prompt' ? t('traces.again.like-prompt') : null;
}

const SOURCES = [
  'vectors',
  'marks',
  'facts',
  'notes',
  'turns',
  'summaries',
  'attachments',
  'text',
  'terms',
  'names',
  'memory',
] as const;

/** Why a source was left out. */
export function describeSkipped(t: TFunction, { source, reason }: SkippedSource): string {
  const known = SOURCES.find((one) => one === source);
  const { code, figures } = reason;
  return t(`traces.skipped.${code}`, { ...figures, source: known ? t(`traces.sources.${known}`) : source });
}
