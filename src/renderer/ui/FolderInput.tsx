import { Autocomplete } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useAttempt, useSession } from '../context.tsx';

/** Pause in typing before folders are looked up. */
const REST_MS = 120;

interface Props {
  label: string;
  placeholder: string;
  /** Of a dialog: it is what has the focus first. */
  isFirst?: boolean;
  value: string;
  onChange: (value: string) => void;
}

/** The path of a folder, completed as it is typed. */
export function FolderInput({ label, placeholder, isFirst = false, value, onChange }: Props) {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [offered, setOffered] = useState<string[]>([]);

  useEffect(() => {
    if (value === '') return;
    let dropped = false;
    const timer = setTimeout(() => {
      void attempt(async () => {
        const folders = await client.vaults.completePath({ prefix: value });
        // Folders that complete an earlier text are of no use.
        if (!dropped) setOffered(folders);
      });
    }, REST_MS);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [attempt, client, value]);

  return (
    <Autocomplete
      flex={1}
      data-autofocus={isFirst || undefined}
      label={label}
      placeholder={placeholder}
      openOnFocus={false}
      value={value}
      onChange={onChange}
      data={offered}
      filter={({ options }) => options}
    />
  );
}
