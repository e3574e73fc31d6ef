/** In the desktop app, the window's page asks for a port to the core with this message… */
export const LINE_WANTED = 'souvenir:line-wanted';
/** …and receives it with this one. After the core restarts, a new port comes without a request. */
export const LINE = 'souvenir:line';
