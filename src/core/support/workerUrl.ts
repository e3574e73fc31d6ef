/**
 * Address of a worker's entry. It lies beside the file that starts it: as `name.ts` when the sources run unbuilt, as
 * `name.js` in the build, whose entries keep flat names.
 * @param from the caller's `import.meta.url`
 */
export function workerUrl(from: string, name: string): URL {
  return new URL(from.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, from);
}
