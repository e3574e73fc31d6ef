import { safeStorage } from 'electron';

/**
 * Seals or unseals a text with the system's keychain.
 * @returns null where there is none (on Linux Electron's own fallback, a fixed password, is none), or it was sealed elsewhere
 */
export function askKeychain(act: 'seal' | 'unseal', text: string): string | null {
  const fixed = process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text';
  if (fixed || !safeStorage.isEncryptionAvailable()) return null;
  if (act === 'seal') return safeStorage.encryptString(text).toString('base64');
  try {
    return safeStorage.decryptString(Buffer.from(text, 'base64'));
  } catch {
    // Sealed by another user or on another computer: the key is asked for again.
    return null;
  }
}
