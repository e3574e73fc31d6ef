import { Button, NumberInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SelfTest, SelfTestFigures } from '../../../shared/contract/traces.ts';
import { Settings } from '../../../shared/settings.ts';
import { useApp, useAttempt, useLanguage, useSession } from '../../context.tsx';
import { formatScore } from '../../ui/format.ts';
import { SettingSlider } from '../../ui/SettingSlider.tsx';

const FIGURES = ['recall', 'recallAt10', 'mrr', 'wrongGiven'] as const;

/** Retrieval measured on what the user marked, with the present settings beside others that could be chosen. */
export function SelfTestControl() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const [minScore, setMinScore] = useState(settings.minScore);
  const [maxResults, setMaxResults] = useState(settings.maxResults);
  const [result, setResult] = useState<SelfTest | null>(null);
  const [isRunning, setRunning] = useState(false);
  const numberId = useId();
  const run = () =>
    void attempt(async () => {
      setRunning(true);
      try {
        setResult(await client.traces.selfTest({ minScore, maxResults }));
      } finally {
        setRunning(false);
      }
    });
  return (
    <>
      <div className="replay-form">
        <div>
          <div className="muted">{t('traces.replay.minimum')}</div>
          <SettingSlider
            label={t('traces.replay.minimum')}
            value={minScore}
            range={[0.3, 0.8, 0.05]}
            format={(value) => formatScore(value, language)}
            onChange={(value) => setMinScore(Number(value.toFixed(2)))}
          />
        </div>
        <div>
          <label className="muted" htmlFor={numberId}>
            {t('settings.maxResults')}
          </label>
          <NumberInput
            id={numberId}
            size="xs"
            min={Settings.shape.maxResults.minValue ?? 1}
            max={Settings.shape.maxResults.maxValue ?? 10}
            clampBehavior="strict"
            allowDecimal={false}
            value={maxResults}
            onChange={(value) => typeof value === 'number' && setMaxResults(value)}
          />
        </div>
        <Button size="xs" variant="light" loading={isRunning} onClick={run}>
          {t('settings.selfTest.run')}
        </Button>
      </div>
      <div role="status">{result && <Result result={result} />}</div>
    </>
  );
}

function Result({ result }: { result: SelfTest }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const { questions, useful, wrong, tooFew, before, after, better, worse } = result;
  if (questions === 0) return <p className="muted">{t('settings.selfTest.none')}</p>;
  const show = (figures: SelfTestFigures | null, name: (typeof FIGURES)[number]) => {
    const value = figures?.[name] ?? null;
    if (value === null) return '–';
    return name === 'wrongGiven' ? String(value) : formatScore(value, language);
  };
  return (
    <>
      <p className="muted">
        {t('settings.selfTest.marks', { questions, useful, wrong })}
        {tooFew && ` ${t('settings.selfTest.tooFew')}`}
      </p>
      <table className="layout-table">
        <thead>
          <tr>
            <th />
            <th>{t('settings.selfTest.before')}</th>
            <th>{t('settings.selfTest.after')}</th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((name) => (
            <tr key={name}>
              <td>{t(`settings.selfTest.${name}`)}</td>
              <td className="number">{show(before, name)}</td>
              <td className="number">{show(after, name)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {after !== null && <p>{t('settings.selfTest.difference', { better, worse })}</p>}
    </>
  );
}
