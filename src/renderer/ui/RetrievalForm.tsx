import { Button, NumberInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Settings } from '../../shared/settings.ts';
import { useAttempt, useLanguage } from '../context.tsx';
import { formatScore } from './format.ts';
import { SettingSlider } from './SettingSlider.tsx';

/** How much is given: the least relevance, 0 to 1, and how many items. */
export type RetrievalBounds = Pick<Settings, 'minScore' | 'maxResults'>;

/** Bounds to try on retrieval, with a button that tries them. `children` are further fields. */
export function RetrievalForm({
  start,
  action,
  onRun,
  children,
}: {
  start: RetrievalBounds;
  /** Words of the button. */
  action: string;
  onRun(bounds: RetrievalBounds): Promise<void>;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const [minScore, setMinScore] = useState(start.minScore);
  const [maxResults, setMaxResults] = useState(start.maxResults);
  const [isRunning, setRunning] = useState(false);
  const numberId = useId();
  const run = () =>
    void attempt(async () => {
      setRunning(true);
      try {
        await onRun({ minScore, maxResults });
      } finally {
        setRunning(false);
      }
    });
  return (
    <div className="replay-form">
      <div>
        <div className="muted">{t('traces.replay.minimum')}</div>
        <SettingSlider
          label={t('traces.replay.minimum')}
          value={minScore}
          range={[0.3, 0.8, 0.05]}
          format={(value) => formatScore(value, language)}
          // Steps of 0.05 add up to 0.6000000000000001.
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
      {children}
      <Button size="xs" variant="light" loading={isRunning} onClick={run}>
        {action}
      </Button>
    </div>
  );
}
