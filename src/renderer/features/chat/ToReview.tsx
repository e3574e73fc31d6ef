import { Button } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useApp } from '../../context.tsx';

/** Leads to what a turn suggested and nobody has confirmed. */
export function ToReview({ count }: { count: number }) {
  const { t } = useTranslation();
  const go = useApp((state) => state.go);
  return (
    <div className="setting-name learnt">
      <IconBookmark size={15} className="kind-icon" color="var(--kind-fact)" aria-hidden />
      <Button variant="subtle" size="compact-xs" onClick={() => go({ pane: 'memory', review: 'pending' })}>
        {t('chat.toReview', { count })}
      </Button>
    </div>
  );
}
