import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** One notice at a time: the latest act is the one that is taken back. */
let shown: string | null = null;

/** Shows what was done, with a button that takes it back, for fifteen seconds. */
export function showUndo(text: string, label: string, onUndo: () => void): void {
  if (shown !== null) notifications.hide(shown);
  const notice = notifications.show({
    autoClose: 15_000,
    withBorder: true,
    message: (
      <div className="setting-name">
        <span className="row-label">{text}</span>
        <Button
          variant="light"
          size="compact-sm"
          onClick={() => {
            notifications.hide(notice);
            onUndo();
          }}
        >
          {label}
        </Button>
      </div>
    ),
  });
  shown = notice;
}
