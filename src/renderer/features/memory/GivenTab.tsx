import { Button, Slider } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { Trace, TraceRow } from '../../../shared/contract/traces.ts';
import { useApp, useAttempt, useLanguage, useRead, useSession } from '../../context.tsx';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { placeLine } from '../../ui/place.ts';
import { ReadState } from '../../ui/ReadState.tsx';
import { SettingSwitch } from '../../ui/SettingSwitch.tsx';
import { useNow } from '../../ui/useNow.ts';

const RECENT = 8;
const READ_EVERY_MS = 500;
/** Pause in moving a slider before its effect is previewed. */
const REST_MS = 150;

/** How much of notes and memory each message is given, a preview of that, and what was given recently. */
export function GivenTab() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const now = useNow();
  const go = useApp((state) => state.go);
  const settings = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const revision = useThrottledValue(
    useApp((state) => state.conversationsRevision),
    READ_EVERY_MS,
  );
  const [maxResults, setMaxResults] = useState(settings.maxResults);
  const [minScore, setMinScore] = useState(settings.minScore);
  const [recent, setRecent] = useState<{ row: TraceRow; trace: Trace }[] | null>(null);
  const [preview, setPreview] = useState<Candidate[]>([]);
  const question = recent?.[0]?.row.question;

  const read = useRead(
    useCallback(async () => {
      const { traces } = await client.traces.list({ limit: RECENT });
      setRecent(
        await Promise.all(
          traces.map(async (row) => ({ row, trace: await client.traces.get({ id: row.id }) })),
        ),
      );
    }, [client]),
    revision,
  );

  useEffect(() => {
    if (question === undefined) return undefined;
    let dropped = false;
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const { candidates } = await client.retrieval.preview({
            text: question,
            limit: maxResults,
            minScore,
          });
          if (!dropped) setPreview(candidates.filter(({ verdict }) => verdict === 'injected'));
        }),
      REST_MS,
    );
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [attempt, client, question, maxResults, minScore]);

  if (read.state !== 'ready') return <ReadState read={read} />;
  const given = ({ items }: Trace) => items.filter(({ verdict }) => verdict === 'injected');
  return (
    <section className="scroll" aria-label={t('memory.tab.given')}>
      <div className="settings">
        <SettingSwitch
          name={t('settings.autoRetrieve')}
          hint={t('settings.autoRetrieveHint')}
          checked={settings.autoRetrieve}
          onChange={(on) => void change({ autoRetrieve: on })}
        />
        <div className="setting">
          <div>
            {t('settings.maxResults')}
            <div className="muted">{t('settings.maxResultsHint')}</div>
          </div>
          <div className="setting-name">
            <Slider
              flex={1}
              label={null}
              thumbLabel={t('settings.maxResults')}
              min={1}
              max={10}
              step={1}
              disabled={!settings.autoRetrieve}
              value={maxResults}
              onChange={setMaxResults}
              onChangeEnd={(value) => void change({ maxResults: value })}
            />
            <span className="number slider-value">{maxResults}</span>
          </div>
        </div>
        <div className="setting">
          <div>
            {t('settings.minScore')}
            <div className="muted">{t('settings.minScoreHint')}</div>
          </div>
          <div className="setting-name">
            <Slider
              flex={1}
              label={null}
              thumbLabel={t('settings.minScore')}
              min={0.3}
              max={0.8}
              step={0.05}
              disabled={!settings.autoRetrieve}
              value={minScore}
              onChange={(value) => setMinScore(Number(value.toFixed(2)))}
              onChangeEnd={(value) => void change({ minScore: Number(value.toFixed(2)) })}
            />
            <span className="number slider-value">{formatScore(minScore, language)}</span>
          </div>
        </div>
        {question !== undefined && (
          <>
            <h2>{t('memory.preview', { question })}</h2>
            <ul aria-live="polite" className="preview">
              {preview.length === 0 && <li className="muted">{t('traces.nothingGiven')}</li>}
              {preview.map((candidate) => (
                <li key={candidate.id}>
                  <span className="number">{formatScore(candidate.score, language)}</span>{' '}
                  {placeLine(candidate) || candidate.excerpt}
                </li>
              ))}
            </ul>
          </>
        )}
        <Button variant="default" size="xs" onClick={() => go({ pane: 'settings' })}>
          {t('memory.advanced')}
        </Button>
        <h2>{t('memory.recent')}</h2>
        {recent?.length === 0 && <p className="muted">{t('traces.empty')}</p>}
        {recent?.map(({ row, trace }) => (
          <div key={row.id} className="recent">
            <div className="setting-name">
              <strong className="row-label">{row.question}</strong>
              <span className="muted">{formatWhen(row.createdAt, now, language)}</span>
              {row.turnId !== null && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => go({ pane: 'traces', turnId: row.turnId as string })}
                >
                  {t('memory.why')}
                </Button>
              )}
            </div>
            <ul className="preview">
              {given(trace).length === 0 && <li className="muted">{t('traces.nothingGiven')}</li>}
              {given(trace).map((item) => (
                <li key={item.itemId}>
                  <span className="number">{formatScore(item.score, language)}</span> {placeLine(item)}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
