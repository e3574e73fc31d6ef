export function sourcesHash(root: string): string;
export function isBuilt(root: string, hash: string): boolean;
export function eraseStamp(root: string): void;
export function writeStamp(root: string, hash: string): void;
