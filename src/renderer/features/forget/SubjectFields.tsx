import { Autocomplete, SegmentedControl, Select, Switch, TextInput } from '@mantine/core';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationId } from '../../../shared/ids.ts';
import { useAttempt, useRead, useSession } from '../../context.tsx';
import { ReadState } from '../../ui/ReadState.tsx';
import { type Asked, type Mode, PERIODS } from './subjects.ts';

/** Options of a list that are in the page. */
const OFFERED = 50;

interface Props {
  asked: Asked;
  /** Whether only the past of a topic can be meant. */
  offersPast: boolean;
  /** Whether items are offered to choose from. */
  offersChoice: boolean;
  onChange: (patch: Partial<Asked>) => void;
  /** Enter was pressed in a field. */
  onEnter: () => void;
}

/** What is to be forgotten: a topic, a person, a conversation or a period. */
export function SubjectFields({ asked, offersPast, offersChoice, onChange, onEnter }: Props) {
  const { t } = useTranslation();
  const modes: Mode[] = ['topic', 'person', 'conversation', 'period'];
  const chosen = asked.facts.length + asked.turns.length;
  if (chosen > 0 || offersChoice) modes.unshift('chosen');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in any of the fields goes on.
    <div
      className="filters forget-subject"
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing && !event.defaultPrevented) onEnter();
      }}
    >
      <SegmentedControl
        size="xs"
        aria-label={t('forget.what')}
        value={asked.mode}
        onChange={(mode) => onChange({ mode })}
        data={modes.map((value) => ({ value, label: t(`forget.modes.${value}`) }))}
      />
      {asked.mode === 'topic' && (
        <TextInput
          data-autofocus
          flex={1}
          aria-label={t('forget.modes.topic')}
          placeholder={t('forget.topicHint')}
          maxLength={500}
          value={asked.topic}
          onChange={(event) => onChange({ topic: event.currentTarget.value })}
        />
      )}
      {asked.mode === 'topic' && offersPast && (
        <Switch
          size="xs"
          label={t('forget.past')}
          checked={asked.past}
          onChange={(event) => onChange({ past: event.currentTarget.checked })}
        />
      )}
      {asked.mode === 'person' && <Person asked={asked} onChange={onChange} />}
      {asked.mode === 'conversation' && <Conversation asked={asked} onChange={onChange} />}
      {asked.mode === 'period' && <PeriodFields asked={asked} onChange={onChange} />}
      {asked.mode === 'chosen' && chosen > 0 && (
        <span className="muted">{t('memory.ticked', { count: chosen })}</span>
      )}
    </div>
  );
}

type FieldProps = Pick<Props, 'asked' | 'onChange'>;

function Person({ asked, onChange }: FieldProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { client } = useSession().api;
  const [names, setNames] = useState<string[] | null>(null);
  const offer = () =>
    void attempt(async () => {
      const { people } = await client.facts.aliases();
      setNames([...new Set(people.flatMap((person) => person.names))].sort());
    });
  return (
    <Autocomplete
      data-autofocus
      flex={1}
      limit={OFFERED}
      aria-label={t('forget.modes.person')}
      placeholder={t('forget.personHint')}
      maxLength={200}
      value={asked.person}
      data={names ?? []}
      onFocus={() => names === null && offer()}
      onChange={(person) => onChange({ person })}
    />
  );
}

function Conversation({ asked, onChange }: FieldProps) {
  const { t } = useTranslation();
  const { client } = useSession().api;
  const [offered, setOffered] = useState<{ value: string; label: string }[]>([]);
  const read = useRead(
    useCallback(async () => {
      const lists = await Promise.all([client.chat.list({}), client.chat.list({ archived: true })]);
      setOffered(lists.flat().map(({ id, title }) => ({ value: id, label: title })));
    }, [client]),
    0,
  );
  if (read.state === 'failed') return <ReadState read={read} />;
  return (
    <Select
      data-autofocus
      flex={1}
      searchable
      limit={OFFERED}
      aria-label={t('forget.modes.conversation')}
      placeholder={t('chat.searchList')}
      nothingFoundMessage={t('chat.noMatch')}
      value={asked.conversationId}
      data={offered}
      onChange={(id) => onChange({ conversationId: id as ConversationId | null })}
    />
  );
}

function PeriodFields({ asked, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t('forget.modes.period')}
        value={asked.period}
        onChange={(period) => onChange({ period })}
        data={PERIODS.map((value) => ({ value, label: t(`forget.periods.${value}`) }))}
      />
      {asked.period === 'range' &&
        (['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            size="xs"
            type="date"
            aria-label={t(`forget.${end}`)}
            value={asked[end]}
            onChange={(event) => onChange({ [end]: event.currentTarget.value })}
          />
        ))}
    </>
  );
}
