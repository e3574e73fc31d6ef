import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of a file in `resources/`, from the build or from the sources. */
export function resourcePath(name: string): string {
  const places = ['../../resources/', '../../../resources/'].map((up) =>
    fileURLToPath(new URL(up + name, import.meta.url)),
  );
  return places.find((path) => existsSync(path)) ?? (places[0] as string);
}
