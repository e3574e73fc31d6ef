import { Switch } from '@mantine/core';
import { useId } from 'react';

interface Props {
  name: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** A switch with its name and what it does. */
export function SettingSwitch({ name, hint, checked, onChange }: Props) {
  const labelId = useId();
  return (
    <div className="setting">
      <div>
        <span id={labelId}>{name}</span>
        <div className="muted">{hint}</div>
      </div>
      <Switch
        aria-labelledby={labelId}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}
