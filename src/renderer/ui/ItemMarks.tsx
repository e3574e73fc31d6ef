import { ActionIcon, Tooltip } from '@mantine/core';
import { IconThumbDown, IconThumbDownFilled, IconThumbUp, IconThumbUpFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ItemMark } from '../../shared/contract/traces.ts';
import { useAttempt } from '../context.tsx';
import { showUndo } from './undo.tsx';

const MARKS = [
  { mark: 'useful', Icon: IconThumbUp, Filled: IconThumbUpFilled },
  { mark: 'wrong', Icon: IconThumbDown, Filled: IconThumbDownFilled },
] as const;

/** What the user says of an item for the question that it was considered for: useful, or wrong there. Pressed again, it is taken back. */
export function ItemMarks({
  name,
  mark,
  onMark,
}: {
  /** What the item is called. */
  name: string;
  mark: ItemMark | null;
  onMark: (mark: ItemMark | null) => Promise<void>;
}) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const set = (next: ItemMark | null) =>
    void attempt(async () => {
      await onMark(next);
      if (next === 'wrong')
        showUndo(t('marks.marked'), t('common.undo'), () => void attempt(() => onMark(mark)));
    });
  return (
    <span className="item-marks">
      {MARKS.map(({ mark: one, Icon, Filled }) => {
        const pressed = mark === one;
        return (
          <Tooltip key={one} label={t(pressed ? `marks.unmark.${one}` : `marks.${one}`)}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={22}
              aria-label={`${t(`marks.${one}`)}: ${name}`}
              aria-pressed={pressed}
              onClick={() => set(pressed ? null : one)}
            >
              {pressed ? <Filled size={14} /> : <Icon size={14} />}
            </ActionIcon>
          </Tooltip>
        );
      })}
    </span>
  );
}
