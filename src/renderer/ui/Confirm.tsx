import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './Dialog.tsx';

interface Props {
  title: string;
  children: ReactNode;
  /** Label of the button: the act itself. */
  action: string;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an act that cannot be undone. Cancel has the focus. */
export function Confirm({ title, children, action, busy = false, onConfirm, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={title}>
      {children}
      <div className="dialog-actions">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button color="red.9" loading={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
