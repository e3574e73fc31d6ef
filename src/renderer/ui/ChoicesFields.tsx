import { Select, Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Choices, type ChoicesInForce, Scope } from '../../shared/choices.ts';
import { useApp, useAttempt, useSession } from '../context.tsx';

/** Model name of the built-in Passages. */
const PASSAGES = 'passages';
/** As `SystemPrompt` allows. */
const MOST_CHARACTERS = 4_000;

interface Props {
  choices: Choices;
  /** What holds for what is left out. */
  elsewhere: ChoicesInForce;
  onChange: (choices: Choices) => void;
}

/** The model, the instructions and the scope of a channel or of a conversation. */
export function ChoicesFields({ choices, elsewhere, onChange }: Props) {
  const { t } = useTranslation();
  const named = useApp(({ settings }) => (settings['chat.baseUrl'] === '' ? '' : settings['chat.model']));
  const models = useModels();
  const set = (patch: Partial<Record<keyof Choices, string | null>>) =>
    onChange(
      Object.fromEntries(Object.entries({ ...choices, ...patch }).filter(([, value]) => value?.trim())),
    );
  const nameOf = (model: string) => (model === PASSAGES || model === '' ? t('chat.answerer') : model);
  const offered = [...new Set([PASSAGES, ...(models ?? []), ...(choices.model ? [choices.model] : [])])];
  const isGone = (model: string) => models !== null && model !== PASSAGES && !models.includes(model);
  return (
    <>
      <Select
        mb="md"
        label={t('choices.model')}
        allowDeselect={false}
        value={choices.model ?? ''}
        onChange={(model) => set({ model })}
        data={[
          { value: '', label: t('choices.inherit', { value: nameOf(elsewhere.model ?? named) }) },
          ...offered.map((model) => ({
            value: model,
            label: isGone(model) ? t('choices.gone', { model }) : nameOf(model),
          })),
        ]}
      />
      <Textarea
        mb="md"
        label={t('choices.instructions')}
        description={t('choices.instructionsHint')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={MOST_CHARACTERS}
        placeholder={elsewhere.systemPrompt}
        value={choices.systemPrompt ?? ''}
        onChange={(event) => set({ systemPrompt: event.currentTarget.value })}
      />
      <Select
        mb="md"
        label={t('settings.scope')}
        allowDeselect={false}
        value={choices.scope ?? ''}
        onChange={(scope) => set({ scope })}
        data={[
          {
            value: '',
            label: t('choices.inherit', { value: t(`settings.scopes.${elsewhere.scope}`) }),
          },
          ...Scope.options.map((value) => ({ value, label: t(`settings.scopes.${value}`) })),
        ]}
      />
    </>
  );
}

/** The models of the chosen server; null if there is none, or it has not told. */
function useModels(): string[] | null {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const baseUrl = useApp(({ settings }) => settings['chat.baseUrl']);
  const [told, setTold] = useState<{ baseUrl: string; models: string[] } | null>(null);
  useEffect(() => {
    if (baseUrl !== '')
      void attempt(async () => setTold({ baseUrl, ...(await client.models.list({ baseUrl })) }));
  }, [attempt, client, baseUrl]);
  return told?.baseUrl === baseUrl ? told.models : null;
}
