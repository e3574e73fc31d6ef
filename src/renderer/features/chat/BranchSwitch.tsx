import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** The words of a switch: between messages at one place, or between answers to one message. */
type Of = 'message' | 'reply';

/** Switches between what was said at one place of a conversation: ‹ 2/3 ›, by clicks, or by the arrow keys while it has the focus. */
export function BranchSwitch({
  of,
  at,
  count,
  disabled,
  onChoose,
}: {
  of: Of;
  /** From 0. */
  at: number;
  count: number;
  disabled: boolean;
  onChoose(place: number): void;
}) {
  const { t } = useTranslation();
  const label = t(`chat.branch.${of}.of`, { version: at + 1, count });
  const choose = (place: number) => {
    if (!disabled && place >= 0 && place < count) onChoose(place);
  };
  return (
    <div
      role="group"
      className="branch-switch"
      data-switch={of}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        choose(event.key === 'ArrowLeft' ? at - 1 : at + 1);
      }}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(`chat.branch.${of}.previous`)}
        // It keeps the focus at the end of the row: the arrow keys go on from there.
        aria-disabled={disabled || at <= 0}
        onClick={() => choose(at - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      <span className="muted" aria-hidden>
        {of === 'message' ? `${at + 1}/${count}` : label}
      </span>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(`chat.branch.${of}.next`)}
        aria-disabled={disabled || at >= count - 1}
        onClick={() => choose(at + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </div>
  );
}
