import { Popover, UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeTold } from '../shared/errors.ts';
import { useApp, useAttempt, useLanguage } from './context.tsx';
import { formatDuration, formatNumber, formatWhen } from './ui/format.ts';
import { useNow } from './ui/useNow.ts';
import { shortObstacle } from './ui/VaultNotice.tsx';
import { useRemoteHost } from './useRemoteHost.ts';

const FEW = 500;

interface Part {
  state: 'ready' | 'busy' | 'ill';
  /** Shown in the footer; null if there is nothing to say. */
  words: string | null;
  /** Shown in the popover. */
  detail: string;
}

/** A dot, and words only while something is under way or wrong. A click shows the state of everything. */
export function Footer() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const attempt = useAttempt();
  const connection = useApp((state) => state.connection);
  const check = useApp((state) => state.checkModel);
  const indexed = useIndexParts();
  const model = useModelParts();
  const parts: Part[] =
    connection === 'open'
      ? [...indexed, ...model]
      : [{ state: 'ill', words: t(`status.${connection}`), detail: t(`status.${connection}`) }];
  const told = parts.map(({ words }) => words).filter((words) => words !== null);
  const state = parts.some((one) => one.state === 'ill')
    ? 'ill'
    : parts.some((one) => one.state === 'busy')
      ? 'busy'
      : 'ready';
  return (
    <footer className="footer">
      <Popover position="top-start" withArrow zIndex={500} opened={opened} onChange={setOpened}>
        <Popover.Target>
          <UnstyledButton
            className="footer-state"
            aria-label={told[0] ?? t('status.ready')}
            onClick={() => {
              setOpened(!opened);
              // The popover shows the present state of the model's server.
              if (!opened && connection === 'open') void attempt(check);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setOpened(false);
            }}
          >
            <span className="dot" data-state={state} />
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <ul className="preview">
            {parts.map(({ state: own, detail }) => (
              <li key={detail} className="setting-name">
                <span className="dot" data-state={own} />
                {detail}
              </li>
            ))}
          </ul>
        </Popover.Dropdown>
      </Popover>
      <span className="cell" role="status">
        {told.join(' · ')}
      </span>
    </footer>
  );
}

/** State of every vault and of the semantic index. */
function useIndexParts(): Part[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const vaults = useApp((state) => state.vaults);
  const vectors = useApp((state) => state.vectors);

  const parts = vaults.map((one): Part => {
    const { name: vault, progress } = one;
    const { state, total, pending, secondsLeft, failed, problem } = progress;
    const part = (own: Part['state'], words: string): Part => ({ state: own, words, detail: words });
    if (state === 'unavailable') return part('ill', shortObstacle(t, one));
    if (problem)
      return part('ill', t('status.indexingStopped', { vault, reason: describeTold(problem, language) }));
    if (state === 'scanning' && total === 0) return part('busy', t('status.scanning', { vault }));
    if (state === 'paused') return part('busy', t('status.paused', { vault }));
    if (state === 'indexing' && pending > 0) {
      const left =
        secondsLeft !== null && secondsLeft >= 1
          ? `, ${t('status.left', { time: formatDuration(secondsLeft, language) })}`
          : '';
      return part('busy', `${t('status.indexing', { vault, done: total - pending, total })}${left}`);
    }
    if (failed > 0) return part('ill', t('status.problems', { count: failed }));
    const detail = t('status.vaultReady', { vault, notes: formatNumber(total, language) });
    return { state: 'ready', words: null, detail };
  });
  if (vaults.length === 0) parts.push({ state: 'ready', words: null, detail: t('status.noVault') });
  if (!vectors) return parts;
  const { state, pending, failed, problem } = vectors;
  // A few items are done before anybody could read the words.
  const said = state === 'rebuilding' || pending > FEW;
  const words =
    state === 'failed'
      ? t('status.meaningFailed')
      : state === 'rebuilding'
        ? t('status.rebuilding', { count: pending })
        : pending > 0
          ? t('status.meaning', { count: pending })
          : t('status.meaningReady', { count: vectors.vectors });
  const ill = (text: string): Part => ({ state: 'ill', words: text, detail: text });
  return [
    ...parts,
    ...(problem && state !== 'failed' ? [ill(t('status.embedderUnusable'))] : []),
    ...(failed > 0 ? [ill(t('status.vectorsFailed', { count: failed }))] : []),
    {
      state: state === 'failed' ? 'ill' : said ? 'busy' : 'ready',
      words: said || state === 'failed' ? words : null,
      detail: words,
    },
  ];
}

/** Error codes of a model that have their own words here. */
const MODEL_FAILURES = [
  'MODEL_REFUSED',
  'MODEL_KEY',
  'MODEL_UNKNOWN',
  'MODEL_SLOW',
  'MODEL_CUT',
  'ADDRESS_KEY_REMOVED',
] as const;

/** The chosen model and its last known state. A model on another computer is always named. */
function useModelParts(): Part[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const address = useApp((state) => state.settings['chat.baseUrl']);
  const model = useApp((state) => state.settings['chat.model']);
  const status = useApp((state) => state.model);
  const host = useRemoteHost();
  const now = useNow();
  useModelCheck(host === null);
  if (address === '' || model === '') return [{ state: 'ready', words: null, detail: t('status.passages') }];
  const parts: Part[] = [];
  if (host !== null) {
    const words = t('status.modelRemote', { model, host });
    parts.push({ state: 'busy', words, detail: words });
  }
  const { problem, at } = status?.model === model ? status : { problem: null, at: null };
  if (problem) {
    const known = MODEL_FAILURES.find((code) => code === problem.code) ?? 'MODEL_FAILED';
    const words = t(`status.modelFailed.${known}`, { model });
    const when = at === null ? '' : ` (${formatWhen(at, now, language)})`;
    parts.push({ state: 'ill', words, detail: `${words}${when}` });
  } else if (status?.state === 'ready')
    parts.push({ state: 'ready', words: null, detail: t('status.modelReady', { model }) });
  else parts.push({ state: 'ready', words: null, detail: t('status.modelUnknown', { model }) });
  return parts;
}

/** How often a server that does not respond is asked again. */
const CHECK_EVERY_MS = 15_000;

/** Keeps the status of the chosen model up to date: asks when it is chosen and, on this computer, while its server is away. */
function useModelCheck(isLocal: boolean): void {
  const attempt = useAttempt();
  const check = useApp((state) => state.checkModel);
  const isOpen = useApp((state) => state.connection === 'open');
  const chosen = useApp(({ settings }) => `${settings['chat.baseUrl']} ${settings['chat.model']}`);
  const isAway = useApp((state) => state.model?.problem?.code === 'MODEL_REFUSED');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another model, and a connection that is back, is what asks.
  useEffect(() => {
    if (isOpen) void attempt(check);
  }, [attempt, check, isOpen, chosen]);
  useEffect(() => {
    if (!isOpen || !isLocal || !isAway) return;
    const timer = setInterval(() => void attempt(check), CHECK_EVERY_MS);
    return () => clearInterval(timer);
  }, [attempt, check, isOpen, isLocal, isAway]);
}
