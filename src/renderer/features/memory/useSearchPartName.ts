import { useTranslation } from 'react-i18next';
import { useLanguage } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { formatDay } from '../../ui/format.ts';
import type { SearchPart, SearchParts } from './searchFilter.ts';

/** Names a part of the search's filter with what it asks for: "Channel: Work". */
export function useSearchPartName(): (part: SearchPart, parts: SearchParts) => string {
  const { t } = useTranslation();
  const language = useLanguage();
  const channelName = useChannelName();
  const valueIn = (part: SearchPart, { kind, channel, role, ...others }: SearchParts): string => {
    if (part === 'kind') return kind === null ? '' : t(`memory.filters.kinds.${kind}`);
    if (part === 'channel') return channel === null ? '' : channelName(channel);
    if (part === 'role') return role === null ? '' : t(`memory.filters.roles.${role}`);
    const value = others[part] ?? '';
    if (part === 'folder' || part === 'author') return value;
    return formatDay(new Date(`${value}T00:00`).getTime(), language);
  };
  return (part, parts) =>
    t('memory.filters.chip', { name: t(`memory.filters.${part}`), value: valueIn(part, parts) });
}
