/** In the desktop app the window's page asks for a line to the core with this message… */
export const LINE_WANTED = 'souvenir:line-wanted';
/** …and gets one as a port that comes with this one. After the core was started again a new line comes unasked. */
export const LINE = 'souvenir:line';
