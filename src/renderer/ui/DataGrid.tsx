import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useMemo } from 'react';
import { useRows } from './useRows.ts';

const ROW_PX = 40;
/** Rows from the end of those that are here at which more are asked for. */
const NEAR_END = 10;

export interface Column<Row> {
  key: string;
  head: ReactNode;
  className?: string;
  /** @param focusRow gives the focus to this row */
  cell: (row: Row, focusRow: () => void) => ReactNode;
}

type RowAttributes = HTMLAttributes<HTMLDivElement> & { [data: `data-${string}`]: string | boolean };

interface DataGridProps<Row extends { id: string }> {
  label: string;
  /** Class that gives head and rows the widths of their columns. */
  className: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** How many rows there are in all; `rows` are the first of them. */
  total: number;
  selectedId: string | null;
  onSelect: (row: Row) => void;
  attributesOf: (row: Row) => RowAttributes;
  /** A key pressed on the selected row that moves nowhere; true when it was used. `move` selects a row nearby. */
  onRowKey?: (event: KeyboardEvent, row: Row, move: (step: number) => void) => boolean;
  /** Shift with a key that moves, or with a click: the rows from the selected one to that one. */
  onRange?: (rows: readonly Row[]) => void;
  /** Reads more rows. */
  onNearEnd?: () => void;
}

/**
 * A table of rows that keys move through: arrows, Page Up and Down, Home, End. The selected row takes the focus. Only the rows
 * in view are in the page.
 */
export function DataGrid<Row extends { id: string }>(props: DataGridProps<Row>) {
  const { label, className, columns, rows, total, selectedId, onSelect, onRange, onRowKey, onNearEnd } =
    props;
  const { scroll, virtualizer, focusAt, target } = useRows({
    ids: useMemo(() => rows.map(({ id }) => id), [rows]),
    sizeAt: () => ROW_PX,
  });
  const items = virtualizer.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= rows.length - NEAR_END && rows.length < total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may still end near the last one in view.
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  }, [isNearEnd, rows.length, onNearEnd]);

  const selectAt = (index: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[at];
    if (!row) return;
    onSelect(row);
    focusAt(at);
  };
  const extendTo = (to: number) => {
    const from = rows.findIndex((row) => row.id === selectedId);
    if (from >= 0) onRange?.(rows.slice(Math.min(from, to), Math.max(from, to) + 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A text field inside a row keeps its keys.
    if (event.target instanceof HTMLInputElement && event.target.type === 'text') return;
    const at = rows.findIndex((row) => row.id === selectedId);
    const row = rows[at];
    const to = target(event, at);
    if (to !== null) {
      if (event.shiftKey) extendTo(to);
      selectAt(to);
    } else if (!row || !onRowKey?.(event, row, (step) => selectAt(at + step))) return;
    event.preventDefault();
  };

  return (
    <div role="grid" className="main" aria-label={label} aria-rowcount={total}>
      <div className={`table-head ${className}`} role="row" tabIndex={-1}>
        {columns.map((column) => (
          <span key={column.key} role="columnheader" tabIndex={-1} className={column.className}>
            {column.head}
          </span>
        ))}
      </div>
      <div ref={scroll} className="scroll" role="rowgroup" onKeyDown={onKeyDown}>
        <div className="virtual" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <div
                key={row.id}
                role="row"
                data-row={row.id}
                data-row-id={row.id}
                className={`table-row virtual-row ${className}`}
                aria-selected={row.id === selectedId}
                aria-rowindex={index + 1}
                tabIndex={row.id === selectedId || (selectedId === null && index === 0) ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onClick={(event) => {
                  if (event.shiftKey) extendTo(index);
                  onSelect(row);
                }}
                onFocus={() => selectedId === null && onSelect(row)}
                onKeyDown={() => undefined}
                {...props.attributesOf(row)}
              >
                {columns.map((column) => (
                  <span
                    key={column.key}
                    role="gridcell"
                    tabIndex={-1}
                    className={`cell ${column.className ?? ''}`}
                  >
                    {column.cell(row, () => focusAt(index))}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
