import { Button } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Vault } from '../../shared/contract/vaults.ts';

/** Why a vault is unavailable, in a few words for a line of many states. */
export function shortObstacle(t: TFunction, { name: vault, progress: { obstacle } }: Vault): string {
  if (obstacle?.reason === 'lost') return t('status.vaultLost', { vault, ...obstacle });
  if (obstacle?.reason === 'moved') return t('status.vaultMoved', { vault });
  return t('status.unavailable', { vault });
}

/** Why a vault is unavailable, with a button where the user may say that it is right so; nothing otherwise. */
export function VaultNotice({ vault, onConfirm }: { vault: Vault; onConfirm: () => void }) {
  const { t } = useTranslation();
  const { obstacle } = vault.progress;
  if (!obstacle) return null;
  const { reason } = obstacle;
  const asks = reason === 'lost' || reason === 'moved';
  return (
    <div role="status" className="setting-name">
      <span>{t(`vault.obstacle.${reason}`, obstacle)}</span>
      {asks && (
        <Button size="compact-sm" variant="default" onClick={onConfirm}>
          {t(`vault.confirm.${reason}`)}
        </Button>
      )}
    </div>
  );
}
