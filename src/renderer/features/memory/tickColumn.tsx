import { Checkbox } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { Column } from '../../ui/DataGrid.tsx';

interface Ticks<Row extends { id: string }> {
  rows: readonly Row[];
  ticked: ReadonlySet<Row['id']>;
  tick(ids: Row['id'][], on: boolean): void;
  textOf(row: Row): string;
}

/** The column of a table in which rows are ticked; its head ticks all of them. */
export function tickColumn<Row extends { id: string }>(
  { rows, ticked, tick, textOf }: Ticks<Row>,
  t: TFunction,
): Column<Row> {
  const allTicked = rows.length > 0 && rows.every(({ id }) => ticked.has(id));
  return {
    key: 'tick',
    className: 'tick',
    head: (
      <Checkbox
        size="xs"
        aria-label={t('memory.tickAll')}
        checked={allTicked}
        indeterminate={ticked.size > 0 && !allTicked}
        onChange={(event) =>
          tick(
            rows.map(({ id }) => id),
            event.currentTarget.checked,
          )
        }
      />
    ),
    cell: (row) => (
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={t('memory.tick', { content: textOf(row) })}
        checked={ticked.has(row.id)}
        onClick={(event) => event.stopPropagation()}
        onChange={(event) => tick([row.id], event.currentTarget.checked)}
      />
    ),
  };
}
