import { Select } from '@mantine/core';

interface ChoiceProps<T extends string> {
  label: string;
  value: T | null;
  options: readonly { value: T; label: string }[];
  onChange: (value: T | null) => void;
  /** Pixels. */
  width?: number;
  /** The list is long: it is narrowed by typing. */
  searchable?: boolean;
  /** It stands in a popover, which a click outside closes. */
  inPopover?: boolean;
}

/** More entries than this are found by typing. */
const MOST_SHOWN = 200;

/** A filter: one value of several, or none. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  width = 124,
  searchable = false,
  inPopover = false,
}: ChoiceProps<T>) {
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      clearable
      searchable={searchable}
      limit={MOST_SHOWN}
      comboboxProps={{ withinPortal: !inPopover }}
      value={value}
      data={[...options]}
      onChange={(next) => onChange(next)}
    />
  );
}
