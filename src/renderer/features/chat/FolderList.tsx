import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconFolder, IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { MOST_FOLDERS } from '../../../shared/contract/chat.ts';
import { useApp, useLanguage } from '../../context.tsx';
import { FolderInput } from '../../ui/FolderInput.tsx';
import { folderName } from '../../ui/format.ts';

interface Props {
  folders: readonly string[];
  onChange: (folders: readonly string[]) => void;
  /** A path that is typed and not added yet. */
  path: string;
  onPath: (path: string) => void;
}

/** The folders of a conversation: each can be removed, and any folder of this computer added. */
export function FolderList({ folders, onChange, path, onPath }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const titleId = useId();
  const vaults = useApp((state) => state.vaults);
  const typed = path.trim();
  const add = () => {
    if (typed === '') return;
    if (!folders.includes(typed)) onChange([...folders, typed]);
    onPath('');
  };
  return (
    <section aria-labelledby={titleId}>
      <h3 className="section-title" id={titleId}>
        {t('chat.folders')}
      </h3>
      <p className="muted">{t('chat.foldersHint')}</p>
      {folders.length === 0 && <p className="muted">{t('chat.noFolders')}</p>}
      <ul className="folder-list">
        {folders.map((folder) => (
          <li key={folder} className="row">
            <IconFolder size={16} aria-hidden />
            <span className="row-label" title={folder}>
              {folderName(folder)} <span className="path">{folder}</span>
            </span>
            <Tooltip label={t('chat.removeFolder', { folder: folderName(folder) })}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={t('chat.removeFolder', { folder: folderName(folder) })}
                onClick={() => onChange(folders.filter((other) => other !== folder))}
              >
                <IconX size={14} />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
      {folders.length < MOST_FOLDERS && (
        <form
          className="path-form"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <FolderInput
            label={t('chat.folderPath')}
            placeholder={
              vaults[0]?.path ?? (language === 'fr' ? '~/Documents/Projet' : '~/Documents/Project')
            }
            isFirst
            value={path}
            onChange={onPath}
          />
          <Button type="submit" variant="default" disabled={typed === ''}>
            {t('chat.addFolder')}
          </Button>
        </form>
      )}
    </section>
  );
}
