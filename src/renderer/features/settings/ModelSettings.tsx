import { Alert, Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useAttempt, useSession } from '../../context.tsx';
import { keptHere } from '../../ui/keptHere.ts';
import { SettingSwitch } from '../../ui/SettingSwitch.tsx';
import { useAllRemoteHosts } from '../../useRemoteHost.ts';

/** The server and the model that write the answers. Without one, the built-in Passages answers. */
export function ModelSettings() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const settings = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const saved = settings['chat.baseUrl'];
  const hosts = useAllRemoteHosts();
  const [address, setAddress] = useState(saved);
  const [asked, setAsked] = useState<{ address: string; models: string[] } | null>(null);
  const server = asked?.address === saved ? asked : null;
  const [searched, setSearched] = useState(false);

  const ask = useCallback(
    () =>
      attempt(async () => setAsked({ address: saved, ...(await client.models.list({ baseUrl: saved })) })),
    [attempt, client, saved],
  );
  useEffect(() => {
    if (saved !== '') void ask();
  }, [ask, saved]);

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
      {saved !== '' && <KeyField key={saved} baseUrl={saved} onSaved={() => void ask()} />}
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
      {hosts.length > 0 && (
        <>
          <Alert color="yellow" mt="sm">
            {t('settings.modelRemote', {
              host: hosts.join(', '),
              kept: t(`settings.kept.${keptHere(settings)}`),
            })}
          </Alert>
          {(['sendNotes', 'sendMemory'] as const).map((name) => (
            <SettingSwitch
              key={name}
              name={t(`settings.${name}`)}
              hint={t(`settings.${name}Hint`)}
              checked={settings[`chat.${name}`]}
              onChange={(checked) => void change({ [`chat.${name}`]: checked })}
            />
          ))}
        </>
      )}
    </section>
  );
}

/** The key of a server. It is stored apart from the settings and never shown again. */
function KeyField({ baseUrl, onSaved }: { baseUrl: string; onSaved: () => void }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [hasKey, setHasKey] = useState(false);
  const [key, setKey] = useState('');

  useEffect(() => {
    void attempt(async () => setHasKey((await client.models.hasKey({ baseUrl })).hasKey));
  }, [attempt, client, baseUrl]);

  const save = (next: string) =>
    void attempt(async () => {
      await client.models.setKey({ baseUrl, key: next });
      setKey('');
      setHasKey(next !== '');
      onSaved();
    });
  return (
    <div className="path-form">
      <PasswordInput
        flex={1}
        label={t('settings.modelKey')}
        description={t('settings.modelKeyHint')}
        placeholder={hasKey ? t('settings.modelKeyKept') : ''}
        autoComplete="off"
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && key.trim() !== '') save(key.trim());
        }}
      />
      {key.trim() !== '' && <Button onClick={() => save(key.trim())}>{t('common.save')}</Button>}
      {key.trim() === '' && hasKey && (
        <Button variant="default" onClick={() => save('')}>
          {t('common.delete')}
        </Button>
      )}
    </div>
  );
}
