import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';

export interface NoticeAction {
  label: string;
  run: () => void;
}

/** Only one notice is shown at a time, so that Undo always means the latest act. */
let shown: string | null = null;

/** Shows for fifteen seconds what was done, with buttons that undo it or go further. */
export function showNotice(text: string, actions: readonly NoticeAction[]): void {
  if (shown !== null) notifications.hide(shown);
  const notice = notifications.show({
    autoClose: 15_000,
    withBorder: true,
    message: (
      <div className="notice">
        <span>{text}</span>
        {actions.map(({ label, run }) => (
          <Button
            key={label}
            variant="light"
            size="compact-sm"
            onClick={() => {
              notifications.hide(notice);
              run();
            }}
          >
            {label}
          </Button>
        ))}
      </div>
    ),
  });
  shown = notice;
}

/** Shows what was done, with one button that undoes it. */
export function showUndo(text: string, label: string, onUndo: () => void): void {
  showNotice(text, [{ label, run: onUndo }]);
}
