import { Alert, Button, Select, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useAttempt, useSession } from '../../context.tsx';

/** Which server and model write the answers; none leaves them to the built-in Passages. */
export function ModelSettings() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const saved = settings['chat.baseUrl'];
  const [address, setAddress] = useState(saved);
  const [asked, setAsked] = useState<{ address: string; models: string[]; isLoopback: boolean } | null>(null);
  const server = asked?.address === saved ? asked : null;
  const [searched, setSearched] = useState(false);

  useEffect(() => {
    if (saved === '') return;
    void attempt(async () => setAsked({ address: saved, ...(await client.models.list({ baseUrl: saved })) }));
  }, [attempt, client, saved]);

  const save = (baseUrl: string) => {
    if (baseUrl !== saved) void change({ 'chat.baseUrl': baseUrl, 'chat.model': '' });
  };
  const find = () =>
    void attempt(async () => {
      const [first] = await client.models.find();
      setSearched(first === undefined);
      if (!first) return;
      setAddress(first.baseUrl);
      await change({ 'chat.baseUrl': first.baseUrl, 'chat.model': first.models[0] ?? '' });
    });

  return (
    <section>
      <h2>{t('settings.model')}</h2>
      <p className="muted">{t('settings.modelHint')}</p>
      <div className="path-form">
        <TextInput
          flex={1}
          label={t('settings.modelAddress')}
          placeholder="http://127.0.0.1:11434/v1"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value.trim())}
          onBlur={() => save(address)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save(address);
          }}
        />
        <Button variant="default" onClick={find}>
          {t('settings.modelFind')}
        </Button>
      </div>
      {searched && <p className="muted">{t('settings.modelNone')}</p>}
      {server && (
        <Select
          label={t('settings.modelName')}
          allowDeselect={false}
          value={settings['chat.model'] || null}
          onChange={(model) => void change({ 'chat.model': model ?? '' })}
          data={server.models}
        />
      )}
      {server && !server.isLoopback && (
        <Alert color="yellow" mt="sm">
          {t('settings.modelRemote')}
        </Alert>
      )}
    </section>
  );
}
