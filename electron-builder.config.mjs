// Packages the desktop app: `npm run package`. Everything but Electron's own binary is here; that one is fetched by it.
import { join } from 'node:path';
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses';
import { fuses, LINK_SCHEME } from './src/main/security.ts';

/** Path of the packaged program, by platform. */
function programOf({ appOutDir, electronPlatformName, packager }) {
  const name = packager.appInfo.productFilename;
  if (electronPlatformName === 'darwin' || electronPlatformName === 'mas')
    return join(appOutDir, `${name}.app`);
  return join(appOutDir, electronPlatformName === 'win32' ? `${name}.exe` : packager.executableName);
}

/** Sets every fuse; one that Electron has and the list has not is an error. */
function setFuses(context) {
  return flipFuses(programOf(context), {
    version: FuseVersion.V1,
    strictlyRequireAllFuses: true,
    resetAdHocDarwinSignature: context.electronPlatformName === 'darwin',
    ...Object.fromEntries(Object.entries(fuses).map(([name, value]) => [FuseV1Options[name], value])),
  });
}

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'app.souvenir.desktop',
  productName: 'Souvenir',
  directories: { output: 'release', buildResources: 'resources/icons' },
  files: [
    'out/**',
    'resources/**',
    'package.json',
    '!**/*.map',
    '!out/legal',
    // Of the reader of PDFs, what draws them or runs their scripts stays out.
    '!**/node_modules/pdfjs-dist/!(legacy|package.json|LICENSE)/**',
    '!**/node_modules/pdfjs-dist/legacy/!(build)/**',
    '!**/node_modules/pdfjs-dist/legacy/build/*sandbox*',
    '!**/node_modules/@napi-rs/canvas*/**',
  ],
  // The notices of everyone whose work is in it, and the list of it, where a user can read them (scripts/notices.ts).
  extraResources: [{ from: 'out/legal', to: 'legal' }],
  asar: true,
  // Native libraries are loaded by the system, which cannot look into an archive.
  asarUnpack: ['**/*.node', '**/*.so', '**/*.so.*', '**/*.dylib', '**/*.dll'],
  // They come built for every platform, one file for Node and Electron.
  npmRebuild: false,
  publish: null,
  afterPack: setFuses,
  protocols: [{ name: 'Souvenir', schemes: [LINK_SCHEME] }],
  linux: { target: ['AppImage', 'deb'], category: 'Office', icon: 'icon.png', maintainer: 'Souvenir' },
  mac: { target: ['dmg', 'zip'], category: 'public.app-category.productivity', hardenedRuntime: true },
  win: { target: ['nsis'] },
  nsis: { oneClick: false, deleteAppDataOnUninstall: false },
};
