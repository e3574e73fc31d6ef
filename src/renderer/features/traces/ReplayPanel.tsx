import { Select } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useCallback, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Scope } from '../../../shared/choices.ts';
import type { KnownEmbedder, Replay, ReplayRow, Trace } from '../../../shared/contract/traces.ts';
import type { Language } from '../../../shared/errors.ts';
import { useApp, useLanguage, useRead } from '../../context.tsx';
import { EmbedderSelect } from '../../ui/EmbedderSelect.tsx';
import { formatScore } from '../../ui/format.ts';
import { placeLine } from '../../ui/place.ts';
import { RetrievalForm } from '../../ui/RetrievalForm.tsx';
import { describeReason } from './describe.ts';
import type { TracesStore } from './tracesStore.ts';

const SCOPES = ['everything', 'channel', 'conversation'] as const;

/** The retrieval once more, with other settings: what would be given, and what not. */
export function ReplayPanel({ trace, store }: { trace: Trace; store: TracesStore }) {
  const { t } = useTranslation();
  const settings = useApp((state) => state.settings);
  const made = trace.settings ?? settings;
  const [scope, setScope] = useState<Scope>(made.scope);
  const [replay, setReplay] = useState<Replay | null>(null);
  const [embedders, setEmbedders] = useState<KnownEmbedder[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const scopeId = useId();
  useRead(
    useCallback(async () => setEmbedders(await store.getState().embedders()), [store]),
    settings.embedder,
  );
  const embedder = chosen ?? settings.embedder;
  return (
    <section aria-label={t('traces.replay.title')}>
      <h2>{t('traces.replay.title')}</h2>
      <p className="muted">{t('traces.replay.hint')}</p>
      <RetrievalForm
        start={made}
        action={t('traces.replay.run')}
        onRun={async (bounds) =>
          setReplay(await store.getState().replay(trace.id, { ...bounds, scope, embedder }))
        }
      >
        <div>
          <label className="muted" htmlFor={scopeId}>
            {t('settings.scope')}
          </label>
          <Select
            id={scopeId}
            size="xs"
            allowDeselect={false}
            value={scope}
            onChange={(value) => setScope(value as Scope)}
            data={SCOPES.map((value) => ({ value, label: t(`settings.scopes.${value}`) }))}
          />
        </div>
        <EmbedderSelect embedders={embedders} value={embedder} onChange={setChosen} />
      </RetrievalForm>
      <div role="status">{replay && <Outcome replay={replay} />}</div>
    </section>
  );
}

function Outcome({ replay }: { replay: Replay }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { rows, drifted, tokens } = replay;
  const shown = rows.filter(({ before, after }) => before?.place !== after?.place || after?.place);
  const isSame = shown.every(({ before, after }) => before?.place === after?.place);
  return (
    <>
      {isSame && <p>{t('traces.replay.same')}</p>}
      <p className="muted">
        {t(tokens.after === tokens.before ? 'traces.replay.sameTokens' : 'traces.replay.tokens', tokens)}
        {drifted > 0 && ` · ${t('traces.replay.drifted', { count: drifted })}`}
      </p>
      {shown.map((row) => (
        <div key={`${row.kind} ${row.itemId}`} className="replay-row" data-change={changeOf(row)}>
          <span className="number">{row.after?.place ?? '–'}</span>
          <span>
            {placeLine(row) || t(`traces.kind.${row.kind}`)}
            {row.after && <span className="muted"> {formatScore(row.after.score, language)}</span>}
          </span>
          <span className="muted">{describeChange(t, row, language)}</span>
        </div>
      ))}
    </>
  );
}

function changeOf({ before, after }: ReplayRow): 'same' | 'given' | 'dropped' | 'moved' {
  const [was, is] = [before?.place ?? null, after?.place ?? null];
  if (was === is) return 'same';
  if (was === null) return 'given';
  return is === null ? 'dropped' : 'moved';
}

/** What a replay does to an item, and why. */
function describeChange(t: TFunction, row: ReplayRow, language: Language): string {
  const { before, after } = row;
  const change = changeOf(row);
  if (change === 'same') return '';
  const reason = change === 'given' ? before?.reason : after?.reason;
  return t(`traces.replay.${change}`, {
    was: before?.place,
    reason: reason ? describeReason(t, reason, language) : t('traces.replay.noCandidate'),
  });
}
