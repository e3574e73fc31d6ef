import { safeStorage } from 'electron';

/**
 * Seals or unseals a text with the system's keychain.
 * @returns null if there is no keychain (Electron's fallback on Linux, a fixed password, does not count), or if the text was
 * sealed elsewhere
 */
export function askKeychain(act: 'seal' | 'unseal', text: string): string | null {
  const fixed = process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text';
  if (fixed || !safeStorage.isEncryptionAvailable()) return null;
  if (act === 'seal') return safeStorage.encryptString(text).toString('base64');
  try {
    return safeStorage.decryptString(Buffer.from(text, 'base64'));
  } catch {
    // Another user or computer sealed it: the user has to enter the key again.
    return null;
  }
}
