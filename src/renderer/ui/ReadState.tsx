import { Button, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDelayed } from './useDelayed.ts';

/** State of the reading that a pane needs before it can show anything. */
export interface Read {
  state: 'loading' | 'ready' | 'failed';
  /** Why the reading failed, and what to do. */
  message: string;
  again: () => void;
}

/** Shown in place of a pane: a skeleton while it reads; after a failure, the reason and a button that tries again. */
export function ReadState({ read: { state, message, again } }: { read: Read }) {
  const { t } = useTranslation();
  const late = useDelayed(state === 'loading');
  if (state === 'failed') {
    return (
      <div className="scroll">
        <div className="turns empty" role="alert">
          <p className="muted">{message}</p>
          <div>
            <Button variant="default" size="xs" onClick={again}>
              {t('common.retry')}
            </Button>
          </div>
        </div>
      </div>
    );
  }
  return (
    <div className="scroll" role="status" aria-busy aria-label={t('common.loading')}>
      {late && (
        <div className="passage skeletons">
          {Array.from({ length: 6 }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
            <Skeleton key={row} height={24} />
          ))}
        </div>
      )}
    </div>
  );
}
