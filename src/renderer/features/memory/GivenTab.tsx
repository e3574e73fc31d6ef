import { Button, Slider } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { Trace } from '../../../shared/contract/traces.ts';
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

/** How much a message is given at most, and how strictly. */
interface Amounts {
  maxResults: number;
  minScore: number;
}

/** How much of notes and memory each message is given, a preview of that, and what was given recently. */
export function GivenTab() {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const go = useApp((state) => state.go);
  const { maxResults, minScore } = useApp((state) => state.settings);
  const revision = useThrottledValue(
    useApp((state) => state.conversationsRevision),
    READ_EVERY_MS,
  );
  const [amounts, setAmounts] = useState<Amounts>({ maxResults, minScore });
  const [recent, setRecent] = useState<Trace[]>([]);
  const question = recent[0]?.question;

  const read = useRead(
    useCallback(async () => {
      const { traces } = await client.traces.list({ limit: RECENT });
      setRecent(await Promise.all(traces.map(({ id }) => client.traces.get({ id }))));
    }, [client]),
    revision,
  );

  if (read.state !== 'ready') return <ReadState read={read} />;
  return (
    <section className="scroll" aria-label={t('memory.tab.given')}>
      <div className="settings">
        <AmountSettings amounts={amounts} onChange={setAmounts} />
        {question !== undefined && <Preview question={question} amounts={amounts} />}
        <Button variant="default" size="xs" onClick={() => go({ pane: 'settings' })}>
          {t('memory.advanced')}
        </Button>
        <h2>{t('memory.recent')}</h2>
        {recent.length === 0 && <p className="muted">{t('traces.empty')}</p>}
        {recent.map((trace) => (
          <RecentlyGiven key={trace.id} trace={trace} />
        ))}
      </div>
    </section>
  );
}

/** The switch and the two sliders. A slider changes `amounts` as it moves, and the setting when it is released. */
function AmountSettings({ amounts, onChange }: { amounts: Amounts; onChange: (next: Amounts) => void }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const autoRetrieve = useApp((state) => state.settings.autoRetrieve);
  const change = useApp((state) => state.changeSettings);
  const slider = (name: keyof Amounts, [min, max, step]: [number, number, number]) => {
    const round = (value: number) => Number(value.toFixed(2));
    const value = amounts[name];
    return (
      <div className="setting">
        <div>
          {t(`settings.${name}`)}
          <div className="muted">{t(`settings.${name}Hint`)}</div>
        </div>
        <div className="setting-name">
          <Slider
            flex={1}
            label={null}
            thumbLabel={t(`settings.${name}`)}
            min={min}
            max={max}
            step={step}
            disabled={!autoRetrieve}
            value={value}
            onChange={(next) => onChange({ ...amounts, [name]: round(next) })}
            onChangeEnd={(next) => void change({ [name]: round(next) })}
          />
          <span className="number slider-value">
            {name === 'minScore' ? formatScore(value, language) : value}
          </span>
        </div>
      </div>
    );
  };
  return (
    <>
      <SettingSwitch
        name={t('settings.autoRetrieve')}
        hint={t('settings.autoRetrieveHint')}
        checked={autoRetrieve}
        onChange={(on) => void change({ autoRetrieve: on })}
      />
      {slider('maxResults', [1, 10, 1])}
      {slider('minScore', [0.3, 0.8, 0.05])}
    </>
  );
}

/** What a question would be given with these amounts. */
function Preview({ question, amounts }: { question: string; amounts: Amounts }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [given, setGiven] = useState<Candidate[]>([]);
  const { maxResults, minScore } = amounts;

  useEffect(() => {
    let dropped = false;
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const { candidates } = await client.retrieval.preview({
            text: question,
            limit: maxResults,
            minScore,
          });
          if (!dropped) setGiven(candidates.filter(({ verdict }) => verdict === 'injected'));
        }),
      REST_MS,
    );
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [attempt, client, question, maxResults, minScore]);

  return (
    <>
      <h2>{t('memory.preview', { question })}</h2>
      <ul aria-live="polite" className="preview">
        {given.length === 0 && <li className="muted">{t('traces.nothingGiven')}</li>}
        {given.map((candidate) => (
          <li key={candidate.id}>
            <span className="number">{formatScore(candidate.score, language)}</span>{' '}
            {placeLine(candidate) || candidate.excerpt}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A recent question with what it was given. */
function RecentlyGiven({ trace: { question, createdAt, turnId, items, skipped } }: { trace: Trace }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const go = useApp((state) => state.go);
  const given = items.filter(({ verdict }) => verdict === 'injected');
  return (
    <div className="recent">
      <div className="setting-name">
        <strong className="row-label">{question}</strong>
        <span className="muted">{formatWhen(createdAt, now, language)}</span>
        {turnId !== null && (
          <Button variant="subtle" size="compact-xs" onClick={() => go({ pane: 'traces', turnId })}>
            {t('memory.why')}
          </Button>
        )}
      </div>
      <ul className="preview">
        {given.length === 0 && (
          <li className="muted">{t(skipped.length > 0 ? 'traces.notGiven' : 'traces.nothingGiven')}</li>
        )}
        {given.map((item) => (
          <li key={item.itemId}>
            <span className="number">{formatScore(item.score, language)}</span> {placeLine(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
