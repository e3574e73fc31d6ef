import type { VaultProblem } from '../../../shared/contract/vaults.ts';
import { inFolderOf, NotInVault } from './vaultFolder.ts';

/** Obsidian's own settings of a vault take a few kilobytes. */
export const MAX_SETTINGS_BYTES = 1_000_000;

/** Obsidian's settings of a vault, null if there are none, or if they cannot be read, which the problems then tell. */
export async function readVaultSettings(
  root: string,
): Promise<{ settings: Record<string, unknown> | null; problems: VaultProblem[] }> {
  const none = (what: string) => ({
    settings: null,
    problems: [{ code: 'settings-unreadable' as const, what }],
  });
  try {
    const file = await inFolderOf(root, '.obsidian/app.json', (folder, name) =>
      folder.read(name, MAX_SETTINGS_BYTES),
    );
    if (file.kind !== 'content') return none(file.kind);
    const settings: unknown = JSON.parse(file.content.toString('utf8'));
    const isMap = typeof settings === 'object' && settings !== null && !Array.isArray(settings);
    return isMap ? { settings: settings as Record<string, unknown>, problems: [] } : none('JSON');
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return { settings: null, problems: [] };
    if (error instanceof NotInVault) return none('link');
    return none(error instanceof SyntaxError ? 'JSON' : (code ?? 'UNKNOWN'));
  }
}
