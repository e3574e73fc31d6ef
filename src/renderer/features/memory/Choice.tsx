import { Select } from '@mantine/core';

interface ChoiceProps<T extends string> {
  label: string;
  value: T | null;
  options: readonly { value: T; label: string }[];
  onChange: (value: T | null) => void;
  /** Pixels. */
  width?: number;
}

/** A filter: one value of several, or none. */
export function Choice<T extends string>({ label, value, options, onChange, width = 124 }: ChoiceProps<T>) {
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={label}
      clearable
      value={value}
      data={[...options]}
      onChange={(next) => onChange(next)}
    />
  );
}
