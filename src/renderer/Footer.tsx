import { useTranslation } from 'react-i18next';
import type { Vault } from '../shared/contract/vaults.ts';
import { useApp, useLanguage } from './context.tsx';
import { formatDuration } from './ui/format.ts';

const FEW = 500;

/** One dot; words only when something is under way or wrong. */
export function Footer() {
  const { t } = useTranslation();
  const language = useLanguage();
  const connection = useApp((state) => state.connection);
  const vaults = useApp((state) => state.vaults);

  const vectors = useApp((state) => state.vectors);
  // A few rows are done before anybody reads it.
  const meaning = ((): { state: 'busy' | 'ill'; text: string } | null => {
    if (vectors?.state === 'failed') return { state: 'ill', text: t('status.meaningFailed') };
    if (vectors?.state === 'rebuilding') {
      return { state: 'busy', text: t('status.rebuilding', { count: vectors.pending }) };
    }
    return vectors && vectors.pending > FEW
      ? { state: 'busy', text: t('status.meaning', { count: vectors.pending }) }
      : null;
  })();

  const describe = ({ name: vault, progress }: Vault): { state: 'busy' | 'ill'; text: string } | null => {
    const { state, total, pending, secondsLeft, failed } = progress;
    if (state === 'unavailable') return { state: 'ill', text: t('status.unavailable', { vault }) };
    if (state === 'scanning' && total === 0) return { state: 'busy', text: t('status.scanning', { vault }) };
    if (state === 'paused') return { state: 'busy', text: t('status.paused', { vault }) };
    if (state === 'indexing' && pending > 0) {
      const counts = { done: total - pending, total };
      const left =
        secondsLeft !== null && secondsLeft >= 1
          ? `, ${t('status.left', { time: formatDuration(secondsLeft, language) })}`
          : '';
      return { state: 'busy', text: `${t('status.indexing', { vault, ...counts })}${left}` };
    }
    if (failed > 0) return { state: 'ill', text: t('status.problems', { count: failed }) };
    return null;
  };

  const told =
    connection === 'open'
      ? [...vaults.map(describe), meaning].filter((one) => one !== null)
      : [{ state: 'ill' as const, text: t(`status.${connection}`) }];
  const state = told.some((one) => one.state === 'ill') ? 'ill' : told.length > 0 ? 'busy' : 'ready';
  return (
    <footer className="footer" role="status">
      <span
        className="dot"
        data-state={state}
        role="img"
        aria-label={state === 'ready' ? t('status.ready') : told[0]?.text}
      />
      <span className="cell">{told.map((one) => one.text).join(' · ')}</span>
    </footer>
  );
}
