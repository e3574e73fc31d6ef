import { ActionIcon, Progress, Tooltip } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Vault } from '../../../shared/contract/vaults.ts';
import { useAttempt, useLanguage, useSession } from '../../context.tsx';
import { formatDuration } from '../../ui/format.ts';
import { VaultNotice } from '../../ui/VaultNotice.tsx';

/** Progress of a vault that is being indexed: counts, rate and time left. Nothing is shown for an idle vault. */
export function IndexingBar({ vault }: { vault: Vault }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const { state, total, pending, notesPerSecond, secondsLeft } = vault.progress;
  if (state === 'idle' || (state === 'scanning' && total > 0 && pending === 0)) return null;
  const done = total - pending;
  if (state === 'unavailable') {
    return (
      <div className="filters">
        <strong>{vault.name}</strong>
        <VaultNotice
          vault={vault}
          onConfirm={() => void attempt(() => client.vaults.confirm({ id: vault.id }))}
        />
      </div>
    );
  }
  const text = {
    scanning: t('status.scanning', { vault: vault.name }),
    indexing: t('status.indexing', {
      vault: vault.name,
      done,
      total,
    }),
    paused: t('status.paused', { vault: vault.name }),
  }[state];
  const paused = state === 'paused';
  const label = paused ? t('notes.resume') : t('notes.pause');
  return (
    <div className="filters">
      <span>{text}</span>
      {notesPerSecond !== null && (
        <span className="muted">{t('status.rate', { rate: Math.round(notesPerSecond) })}</span>
      )}
      {secondsLeft !== null && secondsLeft > 0 && (
        <span className="muted">{t('status.left', { time: formatDuration(secondsLeft, language) })}</span>
      )}
      <Progress
        flex={1}
        miw={80}
        size="sm"
        value={total > 0 ? (100 * done) / total : 0}
        aria-label={text}
        transitionDuration={0}
      />
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          onClick={() =>
            void attempt(() =>
              paused ? client.vaults.resume({ id: vault.id }) : client.vaults.pause({ id: vault.id }),
            )
          }
        >
          {paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
