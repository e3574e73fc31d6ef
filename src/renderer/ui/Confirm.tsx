import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  title: string;
  children: ReactNode;
  /** What the button says: the act itself. */
  action: string;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before an act that an undo cannot take back. The focus is on leaving it. */
export function Confirm({ title, children, action, busy = false, onConfirm, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={title}>
      {children}
      <div className="dialog-actions">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button color="red.9" loading={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Modal>
  );
}
